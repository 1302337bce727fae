package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// chaosVariable says how long TestChaos lasts, such as 60s.
const chaosVariable = "PODTRACK_CHAOS"

// chaosRun is what every run of the chaos has but for its seed.
var chaosRun = []string{"--bits", "6", "--steps", "20000", "--iterations", "3", "--parallel", "2"}

// Seeds of the runs: kept by every process, in the store that is merged again and
// again, and removed and made again.
const (
	keptSeeds     = "0-19"
	mergedSeeds   = "100-105"
	volatileSeeds = "200-205"
	allSeeds      = keptSeeds + "," + mergedSeeds + "," + volatileSeeds
)

// chaosCommand is a command that is executed again and again beside all others.
type chaosCommand struct {
	args    func(*chaos) []string
	codes   []int  // that are no failure, beside exitDone and exitLocked
	message string // by stderr where it exits with one of them
}

var chaosCommands = map[string]chaosCommand{
	"run": {args: func(c *chaos) []string { return append([]string{"run", "--seeds", c.window(20)}, chaosRun...) }},
	"sweep": {args: func(c *chaos) []string {
		return append([]string{"sweep", "--kappa", "1", "--seeds", c.window(20)}, chaosRun...)
	}},
	"make": {
		args:    func(*chaos) []string { return append([]string{"run", "--seeds", volatileSeeds}, chaosRun...) },
		codes:   []int{cmdline.ExitFailure},
		message: "not in the store", // they were complete, and removed before they were shown
	},
	"rm": {
		args:  func(*chaos) []string { return []string{"rm", "--yes", "seed=" + volatileSeeds} },
		codes: []int{cmdline.ExitFailure}, message: "no run",
	},
	"merge": {args: func(c *chaos) []string { return []string{"merge", c.source} }},
	"label": {
		args:  func(c *chaos) []string { return []string{"label", "seed=" + c.window(20), "--tag", "seen"} },
		codes: []int{cmdline.ExitFailure}, message: "no run",
	},
	"replay": {
		args: func(c *chaos) []string {
			return []string{"replay", "--parallel", "1", "status=complete", "seed=" + c.window(20)}
		},
		codes: []int{cmdline.ExitFailure}, message: "no run",
	},
	"unprune": {
		args:  func(*chaos) []string { return []string{"repair", "--pruned"} },
		codes: []int{cmdline.ExitDifference}, message: "repair again when the other process is done",
	},
	"repair":  {args: func(*chaos) []string { return []string{"repair"} }},
	"compact": {args: func(*chaos) []string { return []string{"compact"} }},
	"backup":  {args: func(c *chaos) []string { return []string{"backup", "--force", c.path("backup.db")} }},
	"shard": {args: func(c *chaos) []string {
		return append([]string{"sweep", "--kappa", "1", "--seeds", keptSeeds, "--shard", "0/1"}, chaosRun...)
	}},
	"check": {args: func(*chaos) []string { return []string{"check", "--read-data"} }},
}

// chaos is a store that processes work on in every way, while they are killed.
type chaos struct {
	dir, store, source string

	mu      sync.Mutex
	random  *rand.Rand
	ended   map[string]int    // commands by how they ended
	printed map[string]string // heads of kept runs that were printed as complete
}

// TestChaos executes all commands that write beside each other on one store, and kills them at random, for as long as
// PODTRACK_CHAOS says. A run that was printed as complete stays complete; in the end every head is the one that an
// undisturbed run has, every record can be read, and nothing is left behind.
func TestChaos(t *testing.T) {
	schematest.SkipUnlessLong(t)
	t.Parallel()
	needsFaults(t)
	length := schematest.Size(4*time.Second, 10*time.Second)
	if text := os.Getenv(chaosVariable); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		e2e.Must(t, err)
	}
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-kill-seed %d", seed)
	dir := t.TempDir()
	c := &chaos{
		dir: dir, store: filepath.Join(dir, "store.db"), source: filepath.Join(t.TempDir(), "source.db"),
		random: rand.New(rand.NewPCG(seed, 0)), ended: map[string]int{}, printed: map[string]string{},
	}
	want := c.prepare(t)
	c.rage(t, length)
	t.Logf("%v; %d runs printed as complete", c.ended, len(c.printed))
	c.settle(t, want)
}

func (c *chaos) path(name string) string { return filepath.Join(c.dir, name) }

// prepare makes the store and the one to be merged, and returns the heads of all runs.
func (c *chaos) prepare(t *testing.T) map[string]string {
	t.Helper()
	calm := filepath.Join(t.TempDir(), "calm.db")
	for store, seeds := range map[string]string{calm: allSeeds, c.source: mergedSeeds, c.store: "0"} {
		e2e.Start(t, append([]string{"run", "--store", store, "--seeds", seeds}, chaosRun...)...).Exit(t, cmdline.ExitDone)
	}
	return e2e.Heads(e2e.List(t, calm))
}

// rage executes the commands at the same time, each again and again, until the time is over.
func (c *chaos) rage(t *testing.T, length time.Duration) {
	t.Helper()
	stop := time.After(length)
	over := make(chan struct{})
	go func() {
		<-stop
		close(over)
	}()
	var rows sync.WaitGroup
	for _, name := range slices.Sorted(maps.Keys(chaosCommands)) {
		rows.Go(func() {
			for !t.Failed() {
				select {
				case <-over:
					return
				default:
					c.give(t, name)
					c.acknowledge(t)
				}
			}
		})
	}
	rows.Wait()
}

// give executes a command once, and may kill it.
func (c *chaos) give(t *testing.T, name string) {
	command := chaosCommands[name]
	args, when := c.draw(command)
	p := c.start(t, args...)
	if when > 0 {
		timer := time.AfterFunc(when, func() { _ = p.Process.Kill() })
		defer timer.Stop()
	}
	_ = p.Wait()
	code, words := p.ProcessState.ExitCode(), p.Printed.String()+p.Said.String()
	c.mu.Lock()
	c.ended[fmt.Sprintf("%s: %d", name, code)]++
	c.mu.Unlock()
	switch {
	case crashed.MatchString(words):
	case code == cmdline.ExitDone, code == cmdline.ExitLocked, code < 0 && when > 0:
		return
	case slices.Contains(command.codes, code) && strings.Contains(p.Said.String(), command.message):
		return
	}
	t.Errorf("%s: exit code %d\n%s", strings.Join(args, " "), code, words)
}

// crashed matches what only the output of a crash has.
var crashed = regexp.MustCompile(`panic:|goroutine \d|concurrent map|DATA RACE|fatal error`)

// start starts the program on the store, with commits as frequent as short runs need.
func (c *chaos) start(t *testing.T, args ...string) *e2e.Program {
	t.Helper()
	p := &e2e.Program{Cmd: exec.Command("podtrack-faults", append(args, "--store", c.store)...)}
	p.Env = append(os.Environ(), hurried, "TMPDIR="+c.dir)
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	if err := p.Start(); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	return p
}

// draw returns a command's arguments, and when to kill it, 0 for never.
func (c *chaos) draw(command chaosCommand) (args []string, when time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.random.IntN(2) == 0 {
		when = 1 + time.Duration(c.random.Int64N(int64(700*time.Millisecond)))
	}
	return command.args(c), when
}

// window returns a few of so many seeds.
func (c *chaos) window(n int) string {
	first := c.random.IntN(n - 4)
	return fmt.Sprintf("%d-%d", first, first+4)
}

// acknowledge lists the runs that no process removes. Those that were printed as
// complete before must be so, with the same heads.
func (c *chaos) acknowledge(t *testing.T) {
	c.mu.Lock()
	before := maps.Clone(c.printed)
	c.mu.Unlock()
	p := c.start(t, "ls", "--json", "seed="+keptSeeds)
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != cmdline.ExitDone {
		t.Errorf("ls: exit code %d\n%s", code, p.Said.String())
		return
	}
	var runs []report.Run
	if err := json.Unmarshal(p.Printed.Bytes(), &runs); err != nil {
		t.Error(err)
	}
	now := e2e.Heads(runs)
	maps.DeleteFunc(now, func(_, head string) bool { return !strings.HasPrefix(head, string(tracker.Complete)) })
	for id, head := range before {
		if now[id] != head {
			t.Errorf("run %s was printed as %q and is now %q", id, head, now[id])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.printed, now)
}

// settling are the commands that complete all work.
var settling = []string{
	"shard", "run", "make", "merge", "unprune", "repair", "compact", "backup", "check", "replay",
}

// settle completes all work, and checks the store.
func (c *chaos) settle(t *testing.T, want map[string]string) {
	t.Helper()
	for _, name := range settling {
		args := chaosCommands[name].args(c)
		switch name {
		case "run":
			args = append([]string{"run", "--seeds", keptSeeds}, chaosRun...)
		case "replay":
			args = []string{"replay", "status=complete"}
		}
		p := c.start(t, args...)
		p.Exit(t, cmdline.ExitDone)
		if words := p.Printed.String() + p.Said.String(); crashed.MatchString(words) {
			t.Errorf("%s:\n%s", strings.Join(args, " "), words)
		}
	}
	inspect(t, c.store)
	for _, store := range []string{c.store, c.path("backup.db")} {
		if got := e2e.Heads(e2e.List(t, store)); !maps.Equal(got, want) {
			t.Errorf("%s has\n%v\nundisturbed\n%v", store, got, want)
		}
	}
	if files := filesIn(t, c.dir); !slices.Equal(files, []string{"backup.db", "store.db"}) {
		t.Errorf("left beside the store: %v", files)
	}
}
