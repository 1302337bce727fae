package faults

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestOpenings: a run opens its store six times at most, once each to check the job, to create or look at the store, to
// begin, to commit and to show what was made. Commits that time alone brings are left out.
func TestOpenings(t *testing.T) {
	needsTrace(t)
	program, err := exec.LookPath("podtrack-faults")
	e2e.Must(t, err)
	store := filepath.Join(t.TempDir(), "podtrack.db")
	for _, args := range [][]string{
		{"run", "--name", "first"}, {"run", "--name", "second", "--kappa", "2"}, {"run", "--name", "second", "--kappa", "2"},
	} {
		p, calls := trace(t, program, []string{"-e", "trace=openat"}, []string{"PODTRACK_FAULT_COMMIT=1h"},
			append(args, "--bits", "7", "--iterations", "3", "--store", store))
		opened := 0
		for _, c := range calls {
			if c.result >= 0 && slices.Contains(c.args, strconv.Quote(store)) {
				opened++
			}
		}
		if code := p.ProcessState.ExitCode(); code != 0 || opened < 3 || opened > 6 {
			t.Errorf("%q opened the store %d times, exit status %d\n%s", args, opened, code, p.Said.String())
		}
	}
}
