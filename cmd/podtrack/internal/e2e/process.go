// Package e2e has what the tests of the whole program share, which stand in the packages
// below it by what they test. Their binaries are the program: see [Main].
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/rogpeppe/go-internal/testscript"
)

// Killed waits for the process, which must have done what it was told or have
// been killed, and says which.
func (p *Program) Killed(t *testing.T) bool {
	t.Helper()
	_ = p.Wait()
	return p.WasKilled(t)
}

func (p *Program) WasKilled(t *testing.T) bool {
	t.Helper()
	const bySignal = -1
	code := p.ProcessState.ExitCode()
	if code != 0 && code != bySignal {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(p.Args, " "), code, p.Said.String())
	}
	return code == bySignal
}

// Must is [schematest.Must].
var Must = schematest.Must

// Program is a podtrack process that was started.
type Program struct {
	*exec.Cmd
	Printed, Said bytes.Buffer
}

// Start runs the test's own binary under the name of the program, which makes it
// that program (see TestMain).
func Start(t *testing.T, args ...string) *Program {
	t.Helper()
	return StartWith(t, nil, args...)
}

// StartWith starts the program like start, with a file as its standard output unless that is nil.
func StartWith(t *testing.T, stdout *os.File, args ...string) *Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Cmd: &exec.Cmd{Path: self, Args: append([]string{"podtrack"}, args...)}}
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	if stdout != nil {
		p.Stdout = stdout
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	return p
}

// Exit waits for the process to end with the code that is expected.
func (p *Program) Exit(t *testing.T, want int) {
	t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", strings.Join(p.Args, " "), got, want, p.Said.String())
	}
}

// Perform executes a command that must exit 0, and returns what it prints. It does so in
// this process, which is quicker than to start one, for what a test prepares and checks.
func Perform(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := Podtrack(args...)
	if code != cmdline.ExitDone {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func List(t *testing.T, store string, args ...string) (runs []report.Run) {
	t.Helper()
	Must(t, json.Unmarshal([]byte(Perform(t, append([]string{"ls", "--json", "--store", store}, args...)...)), &runs))
	return runs
}

func Heads(runs []report.Run) map[string]string {
	m := map[string]string{}
	for _, r := range runs {
		m[r.ID.String()] = fmt.Sprint(r.Status, " ", r.Head)
	}
	return m
}

// Podtrack runs the program and returns its code and what it printed.
func Podtrack(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	args = append([]string{"podtrack"}, args...)
	code = command.Execute(context.Background(), args, &out, &errs)
	if slices.Contains(args, "--json") {
		if err := ValidateJSON(args, out.Bytes()); err != nil {
			return exitForged, out.String(), err.Error()
		}
	}
	return code, out.String(), errs.String()
}

// NewStore makes a store with the runs of flags, and returns its path.
func NewStore(t *testing.T, flags ...string) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "podtrack.db")
	Perform(t, append([]string{"run", "--store", store}, flags...)...)
	return store
}

// Small makes a store with a run of a small ring.
func Small(t *testing.T, flags ...string) string {
	t.Helper()
	return NewStore(t, append([]string{"--bits", "6", "--steps", "100", "--iterations", "2"}, flags...)...)
}

// LongRun takes minutes, so that a signal finds it at work on any machine. Its iterations take
// a tenth of a second.
var LongRun = []string{"--bits", "10", "--steps", "2000000", "--iterations", "1000", "--seed", "5"}

// WaitUntilRunning lists the store until a run in it is at work.
func WaitUntilRunning(t *testing.T, store string) {
	t.Helper()
	Eventually(t, "a run at work", func() bool {
		code, stdout, _ := Podtrack("ls", "--json", "--store", store, "status=running")
		return code == cmdline.ExitDone && strings.Contains(stdout, `"running"`)
	})
}

// Eventually asks until the answer is yes.
func Eventually(t *testing.T, what string, yes func() bool) {
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

// Main runs the tests of a package. Their binary is, by other names, the program, the one that can be told
// where to die, and what the package has of its own. The first two validate what they print with --json.
func Main(m *testing.M, own map[string]func()) {
	// Processes that live for milliseconds would spend an eighth of them collecting garbage. A memory limit still
	// holds, and GOGC in the environment takes precedence.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	programs := map[string]func(){
		"podtrack":        func() { os.Exit(mainOfTests()) },
		"podtrack-faults": func() { fault.Enable(); os.Exit(mainOfTests()) },
		"hostile-world":   hostileWorld,
		"serve-env":       serveEnv,
	}
	maps.Copy(programs, own)
	testscript.Main(m, programs)
}
