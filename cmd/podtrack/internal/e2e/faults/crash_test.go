package faults

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// Two specs whose runs take a fraction of a second. One never fills a chunk; the
// other fills one and a part of a second, so that checkpoints hold partial
// chunks before and after a recorded one.
var (
	smallRun   = []string{"--bits", "8", "--steps", "3000", "--iterations", "4"}
	chunkedRun = []string{"--bits", "8", "--steps", "1500000", "--iterations", "2"}
)

// boundaries has, for each fault point of package tracker, the number of a run's transactions that are certainly on the
// disk when a process dies as it passes the point for the n-th time; −1 if there is no store yet.
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

// backups are those of backups.
var backups = []string{"backup.followed", "backup.proved", "backup.settled"}

const allTransactions = math.MaxInt

// TestKilledAtEveryBoundary kills runs between any two steps of any transaction.
// Whatever is on the disk then must be sound, and must be what a transaction
// left; the same command must end in the same bytes.
func TestKilledAtEveryBoundary(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	checkBoundaries(t)
	most := schematest.Size(2, 5)
	if raceDetected() {
		most = 2 // everything takes ten times as long
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"small", smallRun},
		{"chunks", chunkedRun},
	}[:schematest.Size(1, 2)] {
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
				!slices.Contains(slices.Concat(slices.Collect(maps.Keys(rescues)), reclaims, backups), point) {
				t.Errorf("%s has the point %s, which is not tested", name, point)
			}
		}
	}
	if tested := len(boundaries) + len(swaps) + len(rescues) + len(reclaims) +
		len(backups); len(found) != tested {
		t.Errorf("%d points in tracker, %d tested", len(found), tested)
	}
}

// killAt reports whether the run came to the point for the n-th time.
func killAt(t *testing.T, spec []string, point string, n, onDisk int, want report.Run) bool {
	t.Helper()
	dir := t.TempDir()
	store := filepath.Join(dir, "store.db")
	args := append([]string{"run", "--store", store}, spec...)
	p := startFaulty(t, []string{hurried, fmt.Sprintf("PODTRACK_FAULT=%s:%d", point, n)}, args...)
	if !killed(t, p) {
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

// checkRun compares what a killed run left with the transactions that were on the disk.
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

// TestKilledInsideIteration kills a run after every third commit, while it is in
// the same iteration. None of what was committed may be done again.
func TestKilledInsideIteration(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	spec := []string{"--bits", "10", "--steps", "3000000", "--iterations", "1"}
	want := undisturbed(t, spec)
	store := filepath.Join(t.TempDir(), "store.db")
	args := append([]string{"run", "--store", store}, spec...)
	var at recorded
	inside := 0
	for {
		if !killed(t, startFaulty(t, []string{hurried, "PODTRACK_FAULT=commit.after:3"}, args...)) {
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

// killedCommands are commands on a store with a complete run, the points at which they are killed, and whether the run
// then exists: it is complete or gone. again are commands that bring back a run that is gone.
var killedCommands = []struct {
	name  string
	args  []string
	there map[string]bool
	again []string
}{
	{
		name: "rm", args: []string{"rm", "--yes", "@1"},
		there: map[string]bool{"update.open": true, "update.change": true, "update.commit": false},
		again: append([]string{"run"}, smallRun...),
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
	needsFaults(t)
	for _, c := range killedCommands {
		for point, there := range c.there {
			t.Run(c.name+"/"+point, func(t *testing.T) {
				store := e2e.NewStore(t, smallRun...)
				in := func(args []string) []string { return append([]string{args[0], "--store", store}, args[1:]...) }
				before := afterDeath(t, store)
				file := stat(t, store)
				mustBeKilledAt(t, point, in(c.args)...)
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

// undisturbed returns the result of an undisturbed run of the spec.
func undisturbed(t *testing.T, spec []string) report.Run {
	t.Helper()
	return e2e.List(t, e2e.NewStore(t, spec...))[0]
}

// resumeAndCompare repeats the run's command, and proves that it reaches the head of an undisturbed run.
func resumeAndCompare(t *testing.T, store string, spec []string, want report.Run) {
	t.Helper()
	e2e.Start(t, append([]string{"run", "--store", store}, spec...)...).Exit(t, 0)
	checkRun(t, afterDeath(t, store), allTransactions, want)
	e2e.Perform(t, "replay", "--store", store, "@1")
}
