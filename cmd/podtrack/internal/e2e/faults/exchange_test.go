package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/repair"
)

// TestExchangeBesideARun: compact and repair refuse while a run is at work, and name it.
func TestExchangeBesideARun(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"compact", "repair"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store.db")
			e2e.Perform(t, append([]string{"run", "--store", store}, smallRun...)...)
			if command == "repair" {
				spoilStore(t, store)
			}
			work := e2e.Start(t, "run", "--store", store, "--bits", "10", "--steps", "1000000", "--seed", "5",
				"--iterations", "100000")
			e2e.WaitUntilRunning(t, store)
			file := stat(t, store)
			refused := e2e.Start(t, command, "--store", store)
			refused.Exit(t, cmdline.ExitLocked)
			for _, words := range []string{": run ", "is being worked on by process"} {
				if !strings.Contains(refused.Said.String(), words) {
					t.Errorf("%s does not say %q: %s", command, words, refused.Said.String())
				}
			}
			if !os.SameFile(file, stat(t, store)) {
				t.Error("the file was replaced beside the run")
			}
			e2e.Must(t, work.Process.Kill())
			_ = work.Wait()
			e2e.Start(t, command, "--store", store).Exit(t, cmdline.ExitDone)
			if os.SameFile(file, stat(t, store)) {
				t.Error("the file was not replaced")
			}
			e2e.Perform(t, "check", "--read-data", "--store", store)
		})
	}
}

// TestWriterIsTold: a process that writes while a store is repaired is told, waits, and continues in the new file.
// Others read meanwhile.
func TestWriterIsTold(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store.db")
	e2e.Perform(t, append([]string{"run", "--store", store}, smallRun...)...)
	repair, err := repair.Begin(t.Context(), tracker.New(store, tracker.Options{}))
	e2e.Must(t, err)
	defer repair.Close()
	writer := startAndRead(t, "10ms", "is being compacted or repaired: waiting until that is done",
		"label", "--store", store, "@1", "--tag", "told")
	if len(e2e.List(t, store)) != 1 {
		t.Error("the run cannot be listed")
	}
	_, err = repair.Replace(t.Context())
	e2e.Must(t, err)
	repair.Close()
	writer.Exit(t, cmdline.ExitDone)
	if out := e2e.Perform(t, "ls", "--store", store, "tag=told", "--format", "csv"); strings.Count(out, "\n") != 2 {
		t.Errorf("the tag is lost: %s", out)
	}
}

// startAndRead starts the program, which waits for others for so long, and returns when it has written some words to
// standard error.
func startAndRead(t *testing.T, wait, words string, args ...string) *e2e.Program {
	t.Helper()
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	e2e.Must(t, err)
	defer said.Close()
	p := &e2e.Program{Cmd: exec.Command("podtrack", args...)}
	p.Env, p.Stderr = append(os.Environ(), "PODTRACK_WAIT="+wait), said
	e2e.Must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	e2e.Eventually(t, words, func() bool {
		text, err := os.ReadFile(said.Name())
		e2e.Must(t, err)
		return strings.Contains(string(text), words)
	})
	return p
}
