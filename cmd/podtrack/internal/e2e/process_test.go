package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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
	return startWith(t, nil, args...)
}

// startWith starts the program like start, with a file as its standard output unless that is nil.
func startWith(t *testing.T, stdout *os.File, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: &exec.Cmd{Path: self, Args: append([]string{"podtrack"}, args...)}}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	if stdout != nil {
		p.Stdout = stdout
	}
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

// perform executes a command that must exit 0, and returns what it prints. It does so in
// this process, which is quicker than to start one, for what a test prepares and checks.
func perform(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := podtrack(args...)
	if code != cmdline.ExitDone {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func list(t *testing.T, store string, args ...string) (runs []report.Run) {
	t.Helper()
	must(t, json.Unmarshal([]byte(perform(t, append([]string{"ls", "--json", "--store", store}, args...)...)), &runs))
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
	perform(t, "run", "--store", alone, "--reading", "as-published", "--seeds", fmt.Sprintf("0-%d", processes*seeds-1))
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

// longRun takes minutes, so that a signal finds it at work on any machine. Its iterations take
// a tenth of a second.
var longRun = []string{"--bits", "10", "--steps", "2000000", "--iterations", "1000", "--seed", "5"}

// longRunTo returns a run of the same spec that comes to an end.
func longRunTo(iterations int) []string {
	return append(slices.Clip(longRun), "--iterations", strconv.Itoa(iterations))
}

// waitUntilRunning lists the store until a run in it is at work.
func waitUntilRunning(t *testing.T, store string) {
	t.Helper()
	eventually(t, "a run at work", func() bool {
		code, stdout, _ := podtrack("ls", "--json", "--store", store, "status=running")
		return code == cmdline.ExitDone && strings.Contains(stdout, `"running"`)
	})
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !yes() {
		select {
		case <-ctx.Done():
			t.Fatalf("there never is %s", what)
		case <-again.C:
		}
	}
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
	perform(t, append([]string{"run", "--store", calm}, longRunTo(1)...)...)
	id := list(t, calm)[0].ID.String()

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
		line := fmt.Sprintf("to continue: podtrack resume %.12s --iterations 1000 --store %s", id, store)
		if !strings.Contains(p.stderr.String(), line) {
			t.Errorf("%v: stderr does not say %q:\n%s", sig, line, p.stderr.String())
		}
		args = []string{"resume", id[:12], "--iterations", "1000", "--store", store}
		if r := list(t, store)[0]; r.Status != tracker.Interrupted {
			t.Errorf("%v: %s after %d iterations", sig, r.Status, r.Iterations)
		}
	}
	iterations := list(t, store)[0].Iterations + 1
	start(t, append([]string{"run", "--store", store}, longRunTo(iterations)...)...).exit(t, 0)
	perform(t, append([]string{"run", "--store", calm}, longRunTo(iterations)...)...)
	if got, want := list(t, store)[0], list(t, calm)[0]; *got.Head != *want.Head || got.Iterations != want.Iterations {
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
	p := start(t, append([]string{"run", "--store", store}, longRun...)...)
	waitUntilRunning(t, store)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // says that it was killed
	left := list(t, store)[0]
	if left.Status != tracker.Interrupted {
		t.Errorf("a killed run is %s", left.Status)
	}
	start(t, append([]string{"run", "--store", store}, longRunTo(left.Iterations+1)...)...).exit(t, 0)
	if r := list(t, store)[0]; r.Iterations != left.Iterations+1 {
		t.Errorf("%d iterations after it was taken over, %d before", r.Iterations, left.Iterations)
	}
}
