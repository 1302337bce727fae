package faults

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestLargeGrid: a grid of 3600 cells, each of them a feature, of which a short walk visits few, takes V (99 MiB) and
// its record, and no more than that again. Its run and its replay are made under a limit that leaves room for these,
// and the run is refused before its first step under one that does not. Comparing two such runs takes no second V.
func TestLargeGrid(t *testing.T) {
	schematest.NeedsPrograms(t, "sh")
	t.Setenv("GOGC", "100") // as users have it
	grid := filepath.Join(t.TempDir(), "grid.txt")
	e2e.Must(t, os.WriteFile(grid, []byte(openMap(60, 60)), 0o600))
	store := filepath.Join(t.TempDir(), "podtrack.db")
	run := func(store string) []string {
		return []string{"run", "--env", "grid:" + grid, "--steps", "500", "--iterations", "1", "--store", store}
	}
	e2e.Must(t, limited(t, time.Minute, "true", append(run(store), "--seed", "1")...).Run())
	for _, args := range [][]string{
		run(store), {"replay", "@1", "--store", store}, {"diff", "@1", "@2", "--exit-zero", "--store", store},
	} {
		debug.FreeOSMemory() // what this process has is counted, until the other executes its program
		p := limited(t, time.Minute, "ulimit -d 500000", args...)
		if out, err := p.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%.500s", args[0], err, out)
		}
	}
	p := limited(t, time.Minute, "true", run(filepath.Join(t.TempDir(), "podtrack.db"))...)
	e2e.Must(t, p.Run())
	const most = 400 << 10
	if peak := p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > most { // in KiB
		t.Errorf("a peak of %d KiB, more than %d", peak, most)
	}
	p = limited(t, time.Minute, "ulimit -d 300000", run(filepath.Join(t.TempDir(), "podtrack.db"))...)
	out, err := p.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "3600 features: not enough memory: at least 198 MiB are needed") {
		t.Errorf("with too little memory: %v\n%.500s", err, out)
	}
}

// TestLargeGroup: a comparison of two runs with some 800 options each is refused before it begins, by what all of its
// stages hold: 7,900 random options are traced in 400 states, and indexed, and each processor compares two sets.
func TestLargeGroup(t *testing.T) {
	schematest.NeedsPrograms(t, "sh")
	t.Setenv("GOGC", "100") // as users have it
	t.Setenv("GOMAXPROCS", "2")
	grid := filepath.Join(t.TempDir(), "grid.txt")
	e2e.Must(t, os.WriteFile(grid, []byte(openMap(20, 20)), 0o600))
	store := filepath.Join(t.TempDir(), "podtrack.db")
	e2e.Must(t, limited(t, time.Minute, "true", "run", "--env", "grid:"+grid, "--steps", "20000", "--iterations", "1",
		"--seeds", "0-1", "--store", store).Run())
	p := limited(t, time.Minute, "ulimit -d 190000", "diff", "--group", "seed=0-1", "--store", store)
	out, err := p.CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "podtrack: not enough memory: at least 60 MiB are needed") {
		t.Errorf("with too little memory: %v\n%.500s", err, out)
	}
}
