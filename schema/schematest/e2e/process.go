// Package e2e is podtrack's own: it has what the tests of the whole program share, which stand in the packages of
// cmd/podtrack/internal/e2e. Their binaries are the program: see [Main].
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker/fault"
	"github.com/rogpeppe/go-internal/testscript"
)

// Must is [schematest.Must].
var Must = schematest.Must

// Execute executes a command line in this process, and returns its exit code. See [Main].
type Execute = func(ctx context.Context, args []string, stdout, stderr io.Writer) int

var execute Execute

// Main runs the tests of a package. Their binary is, by other names, the program, the one that can be told where to
// die, and what the package has of its own. The first two validate what they print with --json by the schema of the
// command. The functions are those of package command, which packages of tests can import and this one cannot.
func Main(m *testing.M, program func(io.Writer) int, inProcess Execute, schema AnswerSchema, own map[string]func()) {
	// Processes that live for milliseconds would spend an eighth of them collecting garbage. A memory limit still
	// holds, and GOGC in the environment takes precedence.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	execute = func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		return schema.validated(args, stdout, stderr, func(out io.Writer) int { return inProcess(ctx, args, out, stderr) })
	}
	podtrack := func() { os.Exit(schema.validated(os.Args, os.Stdout, os.Stderr, program)) }
	programs := map[string]func(){
		"podtrack":        podtrack,
		"podtrack-faults": func() { fault.Enable(); podtrack() },
	}
	maps.Copy(programs, own)
	testscript.Main(m, programs)
}

// Program is a podtrack process that was started.
type Program struct {
	*exec.Cmd
	Printed, Said bytes.Buffer
}

// Start starts the program.
func Start(t *testing.T, args ...string) *Program {
	t.Helper()
	p := &Program{Cmd: exec.Command("podtrack", args...)}
	p.Begin(t)
	return p
}

// Begin starts the process, which is killed when the test ends.
func (p *Program) Begin(t *testing.T) {
	t.Helper()
	if p.Stderr = &p.Said; p.Stdout == nil {
		p.Stdout = &p.Printed
	}
	Must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
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

// Podtrack executes a command line in this process, which is quicker than to start one, for what a test prepares and
// checks. It returns the exit code and what is printed.
func Podtrack(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = execute(context.Background(), append([]string{"podtrack"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// Perform executes a command line that must exit 0, and returns what it prints.
func Perform(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := Podtrack(args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
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

// List returns the runs that ls lists.
func List(t *testing.T, store string, args ...string) (runs []report.Run) {
	t.Helper()
	Must(t, json.Unmarshal([]byte(Perform(t, append([]string{"ls", "--json", "--store", store}, args...)...)), &runs))
	return runs
}

// Heads returns the status and the head of each run.
func Heads(runs []report.Run) map[string]string {
	m := map[string]string{}
	for _, r := range runs {
		m[r.ID.String()] = fmt.Sprint(r.Status, " ", r.Head)
	}
	return m
}

// WaitUntilRunning lists the store until a run in it is at work.
func WaitUntilRunning(t *testing.T, store string) {
	t.Helper()
	Eventually(t, "a run at work", func() bool {
		code, stdout, _ := Podtrack("ls", "--json", "--store", store, "status=running")
		return code == 0 && strings.Contains(stdout, `"running"`)
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

// CheckMessage checks the form of an error message: its last line but one must say what failed, and its last line how
// to mend it. It returns what is wrong, or "".
func CheckMessage(stderr string) string {
	lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
	switch n := len(lines); {
	case strings.Contains(stderr, "goroutine "), strings.Contains(stderr, "panic:"):
		return "a stack trace"
	case n < 2, !strings.HasPrefix(lines[n-2], "podtrack: "), !strings.HasPrefix(lines[n-1], "  "):
		return "stderr does not end in what failed and a remedy"
	case n > 12:
		return fmt.Sprintf("the error takes %d lines", n)
	}
	return ""
}
