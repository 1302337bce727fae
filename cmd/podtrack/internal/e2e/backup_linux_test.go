package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker"
)

// TestInterruptedBackup: Ctrl-C exits 130 and says how to go on.
func TestInterruptedBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, file := filepath.Join(dir, "my store.db"), filepath.Join(dir, "b.db")
	perform(t, append([]string{"run", "--store", store}, smallRun...)...)
	var p *program
	must(t, tracker.New(store, tracker.Options{}).Update(context.Background(), func(*tracker.Tx) error {
		p = start(t, "backup", file, "--store", store)
		waitUntilOpen(t, p.Process.Pid, store)
		must(t, p.Process.Signal(os.Interrupt))
		p.exit(t, 130)
		return nil
	}))
	if want := "podtrack backup " + file + " --store '" + store + "'"; !strings.Contains(p.stderr.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, &p.stderr)
	}
	perform(t, "backup", file, "--store", store)
}

// waitUntilOpen waits until a process has a file open.
func waitUntilOpen(t *testing.T, pid int, path string) {
	t.Helper()
	for {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		must(t, err)
		if len(files) == 0 {
			t.Fatal("the process is gone")
		}
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && to == path {
				return
			}
		}
		runtime.Gosched()
	}
}
