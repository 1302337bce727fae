//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
)

// TestSilentInput ends commands that wait for a file that never comes: one signal is
// enough.
func TestSilentInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, store := filepath.Join(dir, "pipe"), filepath.Join(dir, "store.db")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"run", "--store", store, "--spec", pipe},
		{"run", "--store", store, "--env", "grid:" + pipe},
		{"sweep", "--store", store, "--dry-run", pipe},
	} {
		p := start(t, args...)
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns once it is open at the other end
		must(t, err)
		must(t, p.Process.Signal(syscall.SIGTERM))
		p.exit(t, cmdline.ExitInterrupted)
		must(t, w.Close())
		wantOutput(t, p.stderr.String(), "interrupted", "nothing was written")
	}
}
