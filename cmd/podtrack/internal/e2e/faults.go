package e2e

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

var KillSeed = flag.Uint64("kill-seed", 0, "draw the instants from this seed; 0 draws one and logs it")

// Hurried makes commits, and with them checkpoints, so frequent that work of a fraction of a second has several.
const Hurried = "PODTRACK_FAULT_COMMIT=1ms"

// NeedsFaults skips a test that kills processes where it cannot be done.
func NeedsFaults(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux a killed owner is known to be gone at once; " +
			"elsewhere, as on Windows, its lease counts for 30 s more")
	}
}

// StartFaulty starts the program that can be told where to die.
func StartFaulty(t *testing.T, env []string, args ...string) *Program {
	t.Helper()
	p := &Program{Cmd: exec.Command("podtrack-faults", args...)}
	p.Env = append(os.Environ(), env...)
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	return p
}

// KillAt gives a command that must come to a fault point, where it is killed.
func KillAt(t *testing.T, point string, args ...string) {
	t.Helper()
	if !StartFaulty(t, []string{"PODTRACK_FAULT=" + point + ":1"}, args...).Killed(t) {
		t.Fatalf("%s never comes to %s", args[0], point)
	}
}
