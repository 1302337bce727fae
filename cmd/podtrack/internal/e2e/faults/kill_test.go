package faults

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

var killSeed = flag.Uint64("kill-seed", 0, "draw the instants from this seed; 0 draws one and logs it")

// hurried makes commits, and with them checkpoints, so frequent that work of a fraction of a second has several.
const hurried = "PODTRACK_FAULT_COMMIT=1ms"

// needsFaults skips a test that kills processes where it cannot be done.
func needsFaults(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux a killed owner is known to be gone at once; " +
			"elsewhere, as on Windows, its lease counts for 30 s more")
	}
}

// startFaulty starts the program that can be told where to die.
func startFaulty(t *testing.T, env []string, args ...string) *e2e.Program {
	t.Helper()
	p := &e2e.Program{Cmd: exec.Command("podtrack-faults", args...)}
	p.Env = append(os.Environ(), env...)
	p.Begin(t)
	return p
}

// killed waits for the process, which must have done what it was told or have been killed, and says which.
func killed(t *testing.T, p *e2e.Program) bool {
	t.Helper()
	_ = p.Wait()
	const bySignal = -1
	code := p.ProcessState.ExitCode()
	if code != 0 && code != bySignal {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(p.Args, " "), code, p.Said.String())
	}
	return code == bySignal
}

// mustBeKilledAt gives a command that must come to a fault point, where it is killed.
func mustBeKilledAt(t *testing.T, point string, args ...string) {
	t.Helper()
	if !killed(t, startFaulty(t, []string{"PODTRACK_FAULT=" + point + ":1"}, args...)) {
		t.Fatalf("%s never comes to %s", args[0], point)
	}
}

// tiny returns a command about a run that takes a few milliseconds.
func tiny(args ...string) []string { return append(args, tinyRun...) }

// tinyRun takes a few milliseconds and has options.
var tinyRun = []string{"--bits", "4", "--steps", "40", "--iterations", "2"}

// longRun takes minutes, so that a signal finds it at work on any machine. Its iterations take
// a tenth of a second.
var longRun = []string{"--bits", "10", "--steps", "2000000", "--iterations", "1000", "--seed", "5"}

func seeded(store, seeds string) []string { return tiny("run", "--store", store, "--seeds", seeds) }

// inDir puts a folder's paths into arguments.
func inDir(dir string, args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		args[i] = strings.NewReplacer("STORE", filepath.Join(dir, "store.db"), "DIR", dir).Replace(a)
	}
	return args
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	e2e.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
