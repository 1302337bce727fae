package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// program is a podtrack process that was started.
type program struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// start runs the test's own binary under the name of the program, which makes it
// that program (see TestMain).
func start(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: &exec.Cmd{Path: self, Args: append([]string{"podtrack"}, args...)}}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // of no effect once it was waited for
	return p
}

// exit waits for the process to end with the code that is expected.
func (p *program) exit(t *testing.T, want int) {
	t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", strings.Join(p.Args, " "), got, want, p.stderr.String())
	}
}

func list(t *testing.T, store string, args ...string) []report.Run {
	t.Helper()
	p := start(t, append([]string{"ls", "--json", "--store", store}, args...)...)
	p.exit(t, 0)
	var runs []report.Run
	if err := json.Unmarshal(p.stdout.Bytes(), &runs); err != nil {
		t.Fatal(err)
	}
	return runs
}

func heads(runs []report.Run) map[string]string {
	m := map[string]string{}
	for _, r := range runs {
		m[r.ID.String()] = fmt.Sprint(r.Status, " ", r.Head)
	}
	return m
}

// TestEightProcesses lets eight processes with seeds of their own write into one
// store that none of them finds there, while another lists it all the time.
func TestEightProcesses(t *testing.T) {
	t.Parallel()
	processes, seeds := 8, testenv.Size(1, 4)
	dir := t.TempDir()
	shared, alone := filepath.Join(dir, "shared.db"), filepath.Join(dir, "alone.db")
	var running []*program
	for i := range processes {
		seeds := fmt.Sprintf("%d-%d", i*seeds, i*seeds+seeds-1)
		running = append(running, start(t, "run", "--store", shared, "--reading", "as-published", "--seeds", seeds))
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
			p := start(t, "ls", "--store", shared)
			if err := p.Wait(); err != nil && p.ProcessState.ExitCode() != cmdline.ExitNoStore {
				t.Errorf("ls: %v\n%s", err, p.stderr.String())
			}
		}
	}()
	for _, p := range running {
		p.exit(t, 0)
	}
	close(ended)
	if n := <-lists; n == 0 {
		t.Error("ls was never answered")
	}
	start(t, "run", "--store", alone, "--reading", "as-published", "--seeds", fmt.Sprintf("0-%d", processes*seeds-1)).exit(t, 0)
	got, want := heads(list(t, shared)), heads(list(t, alone))
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

// longRun takes seconds, so that a signal finds it at work.
var longRun = []string{"--bits", "10", "--steps", "2000000", "--iterations", "12", "--seed", "5"}

// waitUntilRunning lists the store until a run in it is at work.
func waitUntilRunning(t *testing.T, store string) {
	t.Helper()
	for range 10_000 {
		p := start(t, "ls", "--json", "--store", store, "status=running")
		if err := p.Wait(); err == nil && strings.Contains(p.stdout.String(), `"running"`) {
			return
		}
	}
	t.Fatal("the run was never seen at work")
}

// TestSignals interrupts a run by SIGINT and SIGTERM and lets the command that
// it prints go on to the head of an undisturbed run. Meanwhile nobody else can
// work on the run.
func TestSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals on windows")
	}
	dir := t.TempDir()
	store, calm := filepath.Join(dir, "store.db"), filepath.Join(dir, "calm.db")
	start(t, append([]string{"run", "--store", calm}, longRun...)...).exit(t, 0)
	want := list(t, calm)[0]

	args := append([]string{"run", "--store", store}, longRun...)
	for _, sig := range []os.Signal{os.Interrupt, sigterm} {
		p := start(t, args...)
		waitUntilRunning(t, store)
		second := start(t, args...)
		second.exit(t, cmdline.ExitLocked)
		for _, part := range []string{"being worked on by", fmt.Sprint(p.Process.Pid)} {
			if !strings.Contains(second.stderr.String(), part) {
				t.Errorf("the second process does not say %q: %s", part, second.stderr.String())
			}
		}
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.exit(t, cmdline.ExitInterrupted)
		line := fmt.Sprintf("to continue: podtrack resume %.12s --iterations 12 --store %s", want.ID, store)
		if !strings.Contains(p.stderr.String(), line) {
			t.Errorf("%v: stderr does not say %q:\n%s", sig, line, p.stderr.String())
		}
		args = append([]string{"resume", want.ID.String()[:12], "--iterations", "12", "--store"}, store)
		if r := list(t, store)[0]; r.Status != tracker.Interrupted || r.Iterations >= want.Iterations {
			t.Errorf("%v: %s after %d iterations", sig, r.Status, r.Iterations)
		}
	}
	start(t, args...).exit(t, 0)
	if got := list(t, store)[0]; *got.Head != *want.Head {
		t.Errorf("head %s after two signals, %s without", got.Head, want.Head)
	}
}

// TestDeadOwner kills a run and lets another process take it over.
func TestDeadOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on linux does a lease know that its process is gone")
	}
	store := filepath.Join(t.TempDir(), "store.db")
	args := append([]string{"run", "--store", store}, longRun...)
	p := start(t, args...)
	waitUntilRunning(t, store)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // says that it was killed
	if r := list(t, store)[0]; r.Status != tracker.Interrupted {
		t.Errorf("a killed run is %s", r.Status)
	}
	start(t, args...).exit(t, 0)
	if r := list(t, store)[0]; r.Status != tracker.Complete {
		t.Errorf("%s after it was taken over", r.Status)
	}
}
