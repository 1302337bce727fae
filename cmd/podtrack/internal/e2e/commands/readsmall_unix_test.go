//go:build unix

package commands

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestSilentInput ends commands that wait for a file that never comes: one signal is
// enough.
func TestSilentInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, store := filepath.Join(dir, "pipe"), filepath.Join(dir, "store.db")
	e2e.Must(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"run", "--store", store, "--spec", pipe},
		{"run", "--store", store, "--env", "grid:" + pipe},
		{"sweep", "--store", store, "--dry-run", pipe},
	} {
		p := e2e.Start(t, args...)
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns once it is open at the other end
		e2e.Must(t, err)
		e2e.Must(t, p.Process.Signal(syscall.SIGTERM))
		p.Exit(t, cmdline.ExitInterrupted)
		e2e.Must(t, w.Close())
		wantOutput(t, p.Said.String(), "interrupted", "nothing was written")
	}
}
