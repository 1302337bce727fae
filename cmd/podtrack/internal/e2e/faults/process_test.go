package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// TestEightProcesses lets eight processes with seeds of their own write into one
// store that none of them finds there, while another lists it all the time.
func TestEightProcesses(t *testing.T) {
	t.Parallel()
	processes, seeds := 8, schematest.Size(1, 4)
	dir := t.TempDir()
	shared, alone := filepath.Join(dir, "shared.db"), filepath.Join(dir, "alone.db")
	var running []*e2e.Program
	for i := range processes {
		seeds := fmt.Sprintf("%d-%d", i*seeds, i*seeds+seeds-1)
		running = append(running, e2e.Start(t, "run", "--store", shared, "--reading", "as-published", "--seeds", seeds))
	}
	ended, lists := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-ended:
				lists <- n
				return
			default:
			}
			p := e2e.Start(t, "ls", "--store", shared)
			if err := p.Wait(); err != nil && p.ProcessState.ExitCode() != cmdline.ExitNoStore {
				t.Errorf("ls: %v\n%s", err, p.Said.String())
			}
		}
	}()
	for _, p := range running {
		p.Exit(t, 0)
	}
	close(ended)
	if n := <-lists; n == 0 {
		t.Error("ls was never answered")
	}
	e2e.Perform(t, "run", "--store", alone, "--reading", "as-published", "--seeds", fmt.Sprintf("0-%d",
		processes*seeds-1))
	got, want := e2e.Heads(e2e.List(t, shared)), e2e.Heads(e2e.List(t, alone))
	if len(want) != processes*seeds {
		t.Fatalf("%d runs alone, want %d", len(want), processes*seeds)
	}
	for id, head := range want {
		if got[id] != head {
			t.Errorf("run %s: %s together, %s alone", id, got[id], head)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// longRunTo returns a run of the same spec that comes to an end.
func longRunTo(iterations int) []string {
	return append(slices.Clip(longRun), "--iterations", strconv.Itoa(iterations))
}

// TestSignals interrupts a run by SIGINT and SIGTERM and lets the command that
// it prints go on to the head of an undisturbed run. Meanwhile no other process can
// work on the run.
func TestSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	dir := t.TempDir()
	store, calm := filepath.Join(dir, "store.db"), filepath.Join(dir, "calm.db")
	e2e.Perform(t, append([]string{"run", "--store", calm}, longRunTo(1)...)...)
	id := e2e.List(t, calm)[0].ID.String()

	args := append([]string{"run", "--store", store}, longRun...)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := e2e.Start(t, args...)
		e2e.WaitUntilRunning(t, store)
		second := e2e.Start(t, args...)
		second.Exit(t, cmdline.ExitLocked)
		for _, part := range []string{"being worked on by", fmt.Sprint(p.Process.Pid)} {
			if !strings.Contains(second.Said.String(), part) {
				t.Errorf("the second process does not say %q: %s", part, second.Said.String())
			}
		}
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.Exit(t, cmdline.ExitInterrupted)
		line := fmt.Sprintf("to continue: podtrack resume %.12s --iterations 1000 --store %s", id,
			textfmt.ShellQuote(store))
		if !strings.Contains(p.Said.String(), line) {
			t.Errorf("%v: stderr does not say %q:\n%s", sig, line, p.Said.String())
		}
		args = []string{"resume", id[:12], "--iterations", "1000", "--store", store}
		if r := e2e.List(t, store)[0]; r.Status != tracker.Interrupted {
			t.Errorf("%v: %s after %d iterations", sig, r.Status, r.Iterations)
		}
	}
	iterations := e2e.List(t, store)[0].Iterations + 1
	e2e.Start(t, append([]string{"run", "--store", store}, longRunTo(iterations)...)...).Exit(t, 0)
	e2e.Perform(t, append([]string{"run", "--store", calm}, longRunTo(iterations)...)...)
	if got, want := e2e.List(t, store)[0], e2e.List(t, calm)[0]; *got.Head != *want.Head ||
		got.Iterations != want.Iterations {
		t.Errorf("head %s after two signals, %s without", got.Head, want.Head)
	}
}
