//go:build unix

package faults

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestFewOpenFiles executes commands that may open hardly any files. Each says so and
// leaves the store as it was, or does its work.
func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "sh")
	dir := t.TempDir()
	store, other := filepath.Join(dir, "store.db"), filepath.Join(dir, "other.db")
	e2e.Start(t, "run", "--store", store, "--bits", "5", "--steps", "50", "--iterations", "1").Exit(t, 0)
	e2e.Start(t, "run", "--store", other, "--bits", "5", "--steps", "50", "--iterations", "1", "--seed", "1").Exit(t, 0)
	before := e2e.Heads(e2e.List(t, store))
	for _, command := range []string{"run --bits 5 --steps 50 --iterations 1 --seed 2", "serve",
		"sweep --seeds 3-4 --bits 5 --steps 50 --iterations 1", "merge " + other, "check", "compact", "--version"} {
		for _, limit := range schematest.Size([]int{4, 6, 7, 12}, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) {
			args := strings.Fields(command)
			if command != "--version" {
				args = append(args, "--store", store)
			}
			p := &e2e.Program{Cmd: exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`,
				limit),
				"podtrack"}, args...)...)}
			p.Stdout, p.Stderr = &p.Printed, &p.Said
			e2e.Must(t, p.Start())
			_ = p.Wait()
			if limit == 3 && p.ProcessState.ExitCode() == 127 { // the system's loader could not open a library
				continue
			}
			if said := p.Said.String(); p.ProcessState.ExitCode() != cmdline.ExitFailure || e2e.CheckMessage(said) != "" ||
				!strings.Contains(said, "ulimit -n") {
				t.Errorf("%s with %d files: %v: %s", command, limit, p.ProcessState, said)
			}
		}
	}
	e2e.Start(t, "check", "--store", store).Exit(t, 0)
	if after := e2e.Heads(e2e.List(t, store)); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the runs are %v, and were %v", after, before)
	}
}
