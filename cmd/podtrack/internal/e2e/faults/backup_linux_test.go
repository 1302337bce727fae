package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// TestInterruptedBackup: Ctrl-C exits 130 and says how to go on.
func TestInterruptedBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, file := filepath.Join(dir, "my store.db"), filepath.Join(dir, "b.db")
	e2e.Perform(t, append([]string{"run", "--store", store}, smallRun...)...)
	var p *e2e.Program
	e2e.Must(t, tracker.New(store, tracker.Options{}).Update(context.Background(), func(*tracker.Tx) error {
		p = e2e.Start(t, "backup", file, "--store", store)
		waitUntilOpen(t, p.Process.Pid, store)
		e2e.Must(t, p.Process.Signal(os.Interrupt))
		p.Exit(t, 130)
		return nil
	}))
	want := "podtrack backup " + textfmt.ShellQuote(file) + " --store '" + store + "'"
	if !strings.Contains(p.Said.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, &p.Said)
	}
	e2e.Perform(t, "backup", file, "--store", store)
}

// waitUntilOpen waits until a process has a file open.
func waitUntilOpen(t *testing.T, pid int, path string) {
	t.Helper()
	for {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		e2e.Must(t, err)
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
