package crash

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay/report"
)

var (
	crowdKills = flag.Int("crowd-kills", 12, "kill so many of the processes that work on one store beside compactions")
	crowdRuns  = flag.Int("crowd-runs", 3, "runs of each of those processes")
)

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestKilledPruning kills a pruning, and runs that prune as they go, at the
// boundaries of their transactions. Then the same command ends where it would
// have without that.
func TestKilledPruning(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	pruned := append([]string{"--keep", "factors", "--last", "1"}, smallRun...)
	calm := e2e.NewStore(t, pruned...)
	want := shown(t, calm)
	if n, _ := want.Pruned(); n == 0 {
		t.Fatal("nothing was pruned")
	}
	points := []string{"update.open", "update.change", "update.commit"}
	for _, point := range points {
		t.Run("run/"+point, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			args := append([]string{"run", "--store", store}, pruned...)
			n := 1
			for ; n < testenv.Size(3, 1000) && e2e.StartFaulty(t, []string{e2e.Hurried, fmt.Sprintf("PODTRACK_FAULT=%s:%d",
				point, n)},
				args...).Killed(t); n++ {
				checkPruned(t, store)
				e2e.Start(t, args...).Exit(t, 0)
				checkKept(t, shown(t, store), want)
				_ = os.Remove(store)
			}
			if n < 3 {
				t.Errorf("killed %d times", n-1)
			}
		})
		t.Run("prune/"+point, func(t *testing.T) {
			t.Parallel()
			store := e2e.NewStore(t, smallRun...)
			args := []string{"prune", "--store", store, "--keep", "factors", "--last", "1"}
			n := 1
			for ; e2e.StartFaulty(t, []string{fmt.Sprintf("PODTRACK_FAULT=%s:%d", point, n)}, args...).Killed(t); n++ {
				checkPruned(t, store)
			}
			if n < 2 {
				t.Errorf("killed %d times", n-1)
			}
			checkKept(t, shown(t, store), want)
		})
	}
}

// checkPruned holds a store in which something may be pruned to its chains and
// records: what is there must be read, what was computed again must be proved.
func checkPruned(t *testing.T, store string) {
	t.Helper()
	runs := listIfAny(t, store)
	for _, r := range runs {
		if r.Iterations > 0 {
			e2e.Perform(t, "replay", "--store", store, r.ID.String())
		}
	}
}

// checkKept compares what is there of two runs.
func checkKept(t *testing.T, got, want report.Detail) {
	t.Helper()
	if fmt.Sprint(got.Status, got.Head) != fmt.Sprint(want.Status, want.Head) {
		t.Errorf("%s with head %s, want %s with %s", got.Status, got.Head, want.Status, want.Head)
	}
	for k, it := range want.History {
		if fmt.Sprint(got.History[k].Records) != fmt.Sprint(it.Records) {
			t.Errorf("iteration %d: records %v, want %v", k, got.History[k].Records, it.Records)
		}
	}
}

func shown(t *testing.T, store string) (d report.Detail) {
	t.Helper()
	p := e2e.Start(t, "show", "--json", "--store", store, "@1")
	p.Exit(t, 0)
	if err := json.Unmarshal(p.Printed.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCrowdIsKilledBesideCompactions lets eight processes at a time work on runs
// of their own in one store, kills them at random and begins them again, while the
// store is compacted in a loop, whenever none of them works on a run. In the end every head is right, and what was ever
// printed as complete was so from then on.
func TestCrowdIsKilledBesideCompactions(t *testing.T) {
	testenv.SkipUnlessLong(t)
	t.Parallel()
	e2e.NeedsFaults(t)
	const processes = 8
	seeds := *crowdRuns
	dir := t.TempDir()
	store, calm := filepath.Join(dir, "store.db"), filepath.Join(dir, "calm.db")
	spec := []string{"--bits", "8", "--steps", "100000", "--iterations", "3"}
	command := func(store string, first, last int) []string {
		return append([]string{"run", "--store", store, "--parallel", "2", "--seeds", fmt.Sprintf("%d-%d", first, last)},
			spec...)
	}
	e2e.Perform(t, command(calm, 0, processes*seeds-1)...)
	want := e2e.Heads(e2e.List(t, calm))
	e2e.Perform(t, command(store, 0, 0)...)

	seed := *e2e.KillSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-kill-seed %d", seed)
	c := &crowd{store: store, left: *crowdKills, printed: map[string]string{}, random: rand.New(rand.NewPCG(seed, 0))}
	stop, compactions := make(chan struct{}), make(chan int)
	go func() { compactions <- c.compact(t, stop) }()
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() { c.work(t, command(store, i*seeds, i*seeds+seeds-1)) })
	}
	group.Wait()
	close(stop)
	t.Logf("%d compactions, %d kills", <-compactions, *crowdKills-c.left)
	c.acknowledge(t)
	for id, head := range want {
		if c.printed[id] != head {
			t.Errorf("run %s: %q, undisturbed %q", id, c.printed[id], head)
		}
	}
	e2e.Perform(t, "compact", "--store", store)
	inspect(t, store)
	e2e.Perform(t, "replay", "--store", store, "status=complete")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// crowd is the processes that work on one store.
type crowd struct {
	store string

	mu      sync.Mutex
	random  *rand.Rand
	left    int               // kills
	printed map[string]string // runs printed as complete, with their heads
}

// kill reports whether to kill the process that is begun next, and when.
func (c *crowd) kill() (when time.Duration, wanted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return 0, false
	}
	c.left--
	return time.Duration(c.random.Int64N(int64(400 * time.Millisecond))), true
}

// work gives a command again and again until nobody kills it.
func (c *crowd) work(t *testing.T, args []string) {
	for !t.Failed() {
		when, wanted := c.kill()
		p := e2e.StartFaulty(t, []string{e2e.Hurried}, args...)
		if wanted {
			timer := time.AfterFunc(when, func() { _ = p.Process.Kill() })
			defer timer.Stop()
		}
		killed := p.Killed(t)
		c.acknowledge(t)
		if !killed {
			return
		}
	}
}

// acknowledge lists the store. What was complete once must be so, with the same
// heads.
func (c *crowd) acknowledge(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	addPrinted(t, c.printed, e2e.Heads(listIfAny(t, c.store)))
}

func (c *crowd) compact(t *testing.T, stop <-chan struct{}) (n int) {
	for {
		select {
		case <-stop:
			return n
		default:
			p := e2e.Start(t, "compact", "--store", c.store)
			_ = p.Wait()
			switch code := p.ProcessState.ExitCode(); code {
			case cmdline.ExitDone:
				n++
			case cmdline.ExitLocked: // a run is worked on
			default:
				t.Errorf("compact: exit code %d\n%s", code, p.Said.String())
			}
		}
	}
}
