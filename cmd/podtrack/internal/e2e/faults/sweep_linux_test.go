package faults

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestSweepMemory: the memory of a sweep depends on how many runs execute at once, not on how many it has.
func TestSweepMemory(t *testing.T) {
	t.Setenv("GOGC", "100") // as users have it
	peak := func(seeds int) int64 {
		store := filepath.Join(t.TempDir(), "store.db")
		debug.FreeOSMemory() // what this process has is counted, until the other executes its program
		p := e2e.Start(t, "sweep", "--bits", "4", "--steps", "30", "--iterations", "1", "--seeds", fmt.Sprintf("0-%d",
			seeds-1),
			"--parallel", "2", "--store", store)
		p.Exit(t, cmdline.ExitDone)
		return p.ProcessState.SysUsage().(*syscall.Rusage).Maxrss // in KB
	}
	seeds := schematest.Size(300, 1000)
	few, many := peak(seeds/10), peak(seeds)
	if t.Logf("%d runs %d KB, a tenth %d KB", seeds, many, few); many > 2*few+50<<10 {
		t.Errorf("%d runs took %d KB, a tenth %d KB", seeds, many, few)
	}
}
