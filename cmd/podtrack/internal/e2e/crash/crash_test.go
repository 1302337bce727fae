package crash

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

var (
	kills = flag.Int("kills", 0,
		"kill runs at random so many times, 0 for a few dozen; thousands take longer than the default -timeout")
)

// Two specs whose runs take a fraction of a second. One never fills a chunk; the
// other fills one and a part of a second, so that checkpoints hold partial
// chunks before and after a recorded one.
var (
	smallRun   = []string{"--bits", "8", "--steps", "3000", "--iterations", "4"}
	chunkedRun = []string{"--bits", "8", "--steps", "1500000", "--iterations", "2"}
)

// randomRun collects and learns for about as long as each other, a few tenths of
// a second in all.
var randomRun = []string{"--bits", "15", "--steps", "1500000", "--iterations", "4", "--reading", "as-published"}

// boundaries are the fault points of package tracker, and how many transactions
// on a run are on the disk for sure when the n-th passing of one is the last thing
// that a process does: −1 where there is not even a store.
var boundaries = map[string]func(n int) int{
	"tempdir.made":       func(int) int { return -1 },
	"tempdir.marked":     func(int) int { return -1 },
	"create.temp":        func(int) int { return -1 },
	"create.link":        func(int) int { return 0 },
	"create.unlink":      func(int) int { return 0 },
	"update.open":        func(n int) int { return n - 1 },
	"update.change":      func(n int) int { return n - 1 },
	"update.commit":      func(n int) int { return n },
	"commit.before":      func(n int) int { return n }, // the first transaction begins the run and is no group commit
	"commit.after":       func(n int) int { return n + 1 },
	"commit.acknowledge": func(int) int { return allTransactions },
}

// swaps are the fault points of compactions, and whether the new file is in place.
var swaps = map[string]bool{"compact.copied": false, "compact.renamed": true, "compact.synced": true}

// rescues are the fault points of repairs, and whether the damaged file has its second name.
var rescues = map[string]bool{"repair.finished": false, "repair.link": true}

// reclaims are those of removing what killed processes left.
var reclaims = []string{"reclaim.content", "reclaim.marker"}

// writes are those of small files.
var writes = []string{"write.temp"}

// backups are those of backups.
var backups = []string{"backup.followed", "backup.proved", "backup.settled"}

const allTransactions = math.MaxInt

// TestKilledAtEveryBoundary kills runs between any two steps of any transaction.
// Whatever is on the disk then must be sound, and must be what a transaction
// left; the same command must end in the same bytes.
func TestKilledAtEveryBoundary(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	checkBoundaries(t)
	most := testenv.Size(2, 8)
	if raceDetected() {
		most = 2 // as in killsWanted
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"small", smallRun},
		{"chunks", chunkedRun},
	}[:testenv.Size(1, 2)] {
		want := undisturbed(t, c.args)
		for point, onDisk := range boundaries {
			t.Run(c.name+"/"+point, func(t *testing.T) {
				t.Parallel()
				for n := 1; n <= most; n++ {
					if !killAt(t, c.args, point, n, onDisk(n), want) {
						t.Logf("passed %d times", n-1)
						return
					}
				}
			})
		}
	}
}

// checkBoundaries compares the table with the points in tracker and the packages below it.
func checkBoundaries(t *testing.T) {
	t.Helper()
	var files []string
	for _, glob := range []string{"../../../../../tracker/*.go", "../../../../../tracker/*/*.go"} {
		more, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	call := regexp.MustCompile(`\bfault\.At\("([^"]+)"\)`)
	found := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllSubmatch(text, -1) {
			point := string(m[1])
			found[point] = true
			if _, swap := swaps[point]; boundaries[point] == nil && !swap &&
				!slices.Contains(slices.Concat(slices.Collect(maps.Keys(rescues)), reclaims, writes, backups), point) {
				t.Errorf("%s has the point %s, which is not tested", name, point)
			}
		}
	}
	if tested := len(boundaries) + len(swaps) + len(rescues) + len(reclaims) +
		len(writes) + len(backups); len(found) != tested {
		t.Errorf("%d points in tracker, %d tested", len(found), tested)
	}
}

// killAt reports whether the run came to the point for the n-th time.
func killAt(t *testing.T, spec []string, point string, n, onDisk int, want report.Run) bool {
	t.Helper()
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	args := append([]string{"run", "--store", store}, spec...)
	p := e2e.StartFaulty(t, []string{e2e.Hurried, fmt.Sprintf("PODTRACK_FAULT=%s:%d", point, n)}, args...)
	if !p.Killed(t) {
		if n == 1 {
			t.Fatal("the run never comes to this point")
		}
		checkRun(t, afterDeath(t, store), allTransactions, want)
		return false
	}
	checkRun(t, afterDeath(t, store), onDisk, want)
	_, err := os.Stat(store)
	if exists := err == nil; exists != (onDisk >= 0) {
		t.Errorf("killed at passing %d: there is a store: %v", n, exists)
	}
	temporary, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if mayBe := strings.HasPrefix(point, "tempdir.") || point == "create.temp" ||
		point == "create.link"; len(temporary) > 0 && !mayBe {
		t.Errorf("killed at passing %d: left behind: %v", n, temporary)
	}
	resumeAndCompare(t, store, spec, want)
	return true
}

// checkRun holds what a killed run left to the transactions that were on the disk.
func checkRun(t *testing.T, s *storedRun, onDisk int, want report.Run) {
	t.Helper()
	switch {
	case onDisk < 1 && s != nil:
		t.Errorf("a run is there that no transaction was to begin: %+v", *s)
	case onDisk >= 1 && s == nil:
		t.Error("the run is lost")
	case onDisk == 1 && s.recorded != recorded{}:
		t.Errorf("work is there that was not to be committed: %+v", *s)
	case onDisk > 1 && s.recorded == recorded{}:
		t.Errorf("what was committed is lost: %+v", *s)
	case onDisk == allTransactions && (s.status != tracker.Complete || s.head != *want.Head):
		t.Errorf("%s with head %s, want it complete with head %s", s.status, s.head, want.Head)
	}
}

// TestKilledAtRandom kills runs at instants that know nothing of what they hit,
// again and again in the same store, and lets them come to their end.
func TestKilledAtRandom(t *testing.T) {
	testenv.SkipUnlessLong(t)
	t.Parallel()
	e2e.NeedsFaults(t)
	want := undisturbed(t, randomRun)
	begun := time.Now()
	if e2e.StartFaulty(t, []string{e2e.Hurried}, append([]string{"run", "--store", filepath.Join(t.TempDir(), "s.db")},
		randomRun...)...).Killed(t) {
		t.Fatal("killed by somebody else")
	}
	k := &killer{span: time.Since(begun), want: want, seed: *e2e.KillSeed}
	if k.seed == 0 {
		k.seed = rand.Uint64()
	}
	t.Logf("-kill-seed %d, instants within %v", k.seed, k.span)
	k.wanted = killsWanted()
	t.Run("workers", func(t *testing.T) {
		for i := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				k.work(t, rand.New(rand.NewPCG(k.seed, uint64(i))))
			})
		}
	})
	t.Logf("killed %d times: %v", k.kills, k.hit)
	if !k.enough() && !t.Failed() {
		t.Error("no checkpoint of a run was ever collecting, or none learning")
	}
}

func killsWanted() int {
	switch {
	case *kills > 0:
		return *kills
	case raceDetected():
		return 6 // everything takes ten times as long
	}
	return 16
}

// killer kills runs of one spec.
type killer struct {
	span time.Duration // of an undisturbed run
	want report.Run
	seed uint64

	wanted int // kills at least

	mu    sync.Mutex
	kills int
	hit   map[string]int // kills by where they left a run
}

// enough returns that a run was killed as often as wanted, in collecting and in
// learning too. Where instants fall is the machine's affair: only twenty times as
// many without a hit are a failure.
func (k *killer) enough() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kills >= k.wanted && k.hit["collecting"] > 0 && k.hit["learning"] > 0
}

func (k *killer) goesOn() bool {
	k.mu.Lock()
	kills := k.kills
	k.mu.Unlock()
	return kills < 20*k.wanted && !k.enough()
}

// killsPerStore bounds how often one store is hit before it is let go on.
const killsPerStore = 8

func (k *killer) work(t *testing.T, r *rand.Rand) {
	intervals := []string{"1ms", "5ms", "25ms"}
	for k.goesOn() && !t.Failed() {
		store := filepath.Join(t.TempDir(), "store.db")
		args := append([]string{"run", "--store", store}, randomRun...)
		var last recorded
		for range killsPerStore {
			p := e2e.StartFaulty(t, []string{"PODTRACK_FAULT_COMMIT=" + intervals[r.IntN(len(intervals))]}, args...)
			timer := time.AfterFunc(time.Duration(r.Int64N(int64(k.span))), func() { _ = p.Process.Kill() })
			killed := p.Killed(t)
			timer.Stop()
			s := afterDeath(t, store)
			if !killed {
				checkRun(t, s, allTransactions, k.want)
				break
			}
			last = k.count(t, s, last)
		}
		resumeAndCompare(t, store, randomRun, k.want)
		_ = os.Remove(store) // thousands are too many to keep
	}
}

// count notes where a kill left the run, which must not be behind where an
// earlier one did.
func (k *killer) count(t *testing.T, s *storedRun, last recorded) recorded {
	t.Helper()
	now := recorded{}
	if s != nil {
		now = s.recorded
	}
	if now.behind(last) {
		t.Errorf("after a kill the run is at %+v; before it was at %+v", now, last)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kills++
	if k.hit == nil {
		k.hit = map[string]int{}
	}
	k.hit[s.String()]++
	return now
}

// TestAcknowledgedIsKept kills processes that work on many runs, one after
// another. Runs that yet another process has printed as complete must be so in
// all that is ever printed from then on, with the same heads: a run that was lost
// and made again would be as good in the end, but no proof.
func TestAcknowledgedIsKept(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	runs := testenv.Size(8, 24)
	spec := []string{"--bits", "8", "--steps", "200000", "--iterations", "3", "--seeds", fmt.Sprintf("0-%d", runs-1),
		"--parallel", "3"}
	calm := e2e.NewStore(t, spec...)
	want := e2e.Heads(e2e.List(t, calm))
	inTime(t, func() bool { return acknowledgedIsKept(t, spec, want) })
}

// acknowledgedIsKept reports whether a process was killed at all before the runs were complete.
func acknowledgedIsKept(t *testing.T, spec []string, want map[string]string) bool {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store.db")
	printed := map[string]string{}
	rounds := 0
	for killed := true; killed; rounds++ {
		p := e2e.StartFaulty(t, []string{e2e.Hurried}, append([]string{"run", "--store", store}, spec...)...)
		killed = killWhenPrinted(t, p, store, printed, len(printed)+1+rand.IntN(3))
		inspect(t, store)
		addPrinted(t, printed, e2e.Heads(e2e.List(t, store)))
		if rounds > len(want) {
			t.Fatal("the runs do not come to their end")
		}
	}
	t.Logf("%d kills", rounds-1)
	if !maps.Equal(printed, want) {
		t.Errorf("%v complete, undisturbed %v", printed, want)
	}
	e2e.Perform(t, "replay", "--store", store, "status=complete")
	return rounds > 1
}

// killWhenPrinted lists the store until so many runs were printed as complete,
// and then kills the process that works on them, unless it has ended well by
// then: that, too, acknowledges.
func killWhenPrinted(t *testing.T, p *e2e.Program, store string, printed map[string]string, enough int) (killed bool) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Wait()
	}()
	for working := true; working && len(printed) < enough; {
		select {
		case <-ended:
			working = false
		default:
		}
		addPrinted(t, printed, e2e.Heads(listIfAny(t, store)))
	}
	_ = p.Process.Kill() // of no effect on one that has ended
	<-ended
	return p.WasKilled(t)
}

// addPrinted adds the runs that are complete now to those that were so before,
// which must be among them.
func addPrinted(t *testing.T, printed, now map[string]string) {
	t.Helper()
	for id, head := range printed {
		if now[id] != head {
			t.Errorf("run %s was printed as %q and is now %q", id, head, now[id])
		}
	}
	for id, head := range now {
		if strings.HasPrefix(head, string(tracker.Complete)) {
			printed[id] = head
		}
	}
}

// TestKilledInsideIteration kills a run after every third commit, while it is in
// the same iteration. None of what was committed may be done again.
func TestKilledInsideIteration(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	spec := []string{"--bits", "10", "--steps", "5000000", "--iterations", "1"}
	want := undisturbed(t, spec)
	store := filepath.Join(t.TempDir(), "store.db")
	args := append([]string{"run", "--store", store}, spec...)
	var at recorded
	inside := 0
	for {
		if !e2e.StartFaulty(t, []string{e2e.Hurried, "PODTRACK_FAULT=commit.after:3"}, args...).Killed(t) {
			break
		}
		s := afterDeath(t, store)
		if s == nil || s.status != tracker.Complete && !at.behind(s.recorded) {
			t.Fatalf("three commits after %+v the run is at %+v", at, s)
		}
		if at = s.recorded; at.steps > 0 {
			inside++
		}
	}
	t.Logf("killed %d times within the iteration", inside)
	if inside < 3 {
		t.Errorf("only %d of the kills came within the iteration", inside)
	}
	resumeAndCompare(t, store, spec, want)
}

// killedCommands are commands on a store with a complete run, the points at which they are killed and whether the run
// is there then: it is whole, or gone. again are commands with which one that is gone comes back.
var killedCommands = []struct {
	name         string
	before, args []string
	there        map[string]bool
	again        []string
}{
	{
		name: "rm", args: []string{"rm", "@1"},
		there: map[string]bool{"update.open": true, "update.change": true, "update.commit": false},
		again: append([]string{"run"}, smallRun...),
	},
	{
		name: "rm --undo", before: []string{"rm", "@1"}, args: []string{"rm", "--undo"},
		there: map[string]bool{"update.open": false, "update.change": false, "update.commit": true},
		again: []string{"rm", "--undo"},
	},
	{
		name: "compact", args: []string{"compact"},
		there: map[string]bool{"compact.copied": true, "compact.renamed": true, "compact.synced": true},
	},
}

// TestKilledCommands kills commands at the boundaries of their transactions, and compactions at their steps: the old
// file is in place then, or the new one. A compaction completes the work and cleans up.
func TestKilledCommands(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	for _, c := range killedCommands {
		for point, there := range c.there {
			t.Run(c.name+"/"+point, func(t *testing.T) {
				store := e2e.NewStore(t, smallRun...)
				in := func(args []string) []string { return append([]string{args[0], "--store", store}, args[1:]...) }
				before := afterDeath(t, store)
				if c.before != nil {
					e2e.Perform(t, in(c.before)...)
				}
				file := stat(t, store)
				e2e.KillAt(t, point, in(c.args)...)
				if swapped := !os.SameFile(file, stat(t, store)); swapped != swaps[point] {
					t.Errorf("another file: %v", swapped)
				}
				if after := afterDeath(t, store); (after != nil) != there || there && *after != *before {
					t.Errorf("%+v is left of %+v", after, before)
				}
				if !there {
					e2e.Perform(t, in(c.again)...)
				}
				e2e.Perform(t, "compact", "--store", store)
				if after := afterDeath(t, store); *after != *before {
					t.Errorf("in the end: %+v, before %+v", *after, *before)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(store), ".*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				e2e.Perform(t, "replay", "--store", store, "@1")
			})
		}
	}
}

// undisturbed returns what a run of the spec comes to when nothing happens to it.
func undisturbed(t *testing.T, spec []string) report.Run {
	t.Helper()
	return e2e.List(t, e2e.NewStore(t, spec...))[0]
}

// resumeAndCompare gives the run's command once more, and proves that it ends
// where it would have without anything happening.
func resumeAndCompare(t *testing.T, store string, spec []string, want report.Run) {
	t.Helper()
	e2e.Start(t, append([]string{"run", "--store", store}, spec...)...).Exit(t, 0)
	checkRun(t, afterDeath(t, store), allTransactions, want)
	e2e.Perform(t, "replay", "--store", store, "@1")
}
