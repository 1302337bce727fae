//go:build unix

package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// endlessRun takes minutes, so that what ends it finds it at work.
var endlessRun = []string{"--bits", "15", "--steps", "2000000", "--iterations", "500", "--reading", "as-published"}

// detailOf returns what show --json tells of the run with that reference.
func detailOf(t *testing.T, store, ref string) (d report.Detail) {
	t.Helper()
	p := e2e.Start(t, "show", ref, "--json", "--store", store)
	p.Exit(t, cmdline.ExitDone)
	e2e.Must(t, json.Unmarshal(p.Printed.Bytes(), &d))
	return d
}

// wantOutput fails the test unless a text has all of the parts.
func wantOutput(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("not said: %q\n%s", part, text)
		}
	}
}

// TestSessions ends a run by SIGHUP, twice as terminals do, and by SIGKILL: each time
// show tells how its process ended, and resume what is done again.
func TestSessions(t *testing.T) {
	// Programs inherit it if this one ignores SIGHUP, as under nohup, but not if it catches it.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	store := filepath.Join(t.TempDir(), "store.db")
	hung := e2e.Start(t, append([]string{"run", "--store", store}, endlessRun...)...)
	e2e.WaitUntilRunning(t, store)
	if s := detailOf(t, store, "@1").Sessions; len(s) != 1 || s[0].State != tracker.SessionRunning ||
		s[0].PID != hung.Process.Pid {
		t.Errorf("at work: %+v", s)
	}
	e2e.Must(t, hung.Process.Signal(syscall.SIGHUP))
	e2e.Must(t, hung.Process.Signal(syscall.SIGHUP))
	hung.Exit(t, cmdline.ExitInterrupted)
	gone := e2e.Start(t, "status", "@1", "--store", store)
	gone.Exit(t, cmdline.ExitDone)
	wantOutput(t, gone.Printed.String(), "SIGHUP  nothing")
	wantOutput(t, hung.Said.String(), "interrupted, state saved", "to continue: podtrack resume")

	killed := e2e.Start(t, "resume", "--store", store)
	e2e.WaitUntilRunning(t, store)
	e2e.Must(t, killed.Process.Kill())
	_ = killed.Wait() // says that it was killed
	if runtime.GOOS != "linux" {
		return // only a lease's age tells that its process is gone
	}
	left := detailOf(t, store, "@1")
	s := left.Sessions
	if len(s) != 2 || s[0].State != tracker.SessionSignal || s[0].Signal != "SIGHUP" ||
		s[1].State != tracker.SessionVanished {
		t.Fatalf("sessions %+v", s)
	}
	table := e2e.Start(t, "show", "@1", "--store", store)
	table.Exit(t, cmdline.ExitDone)
	wantOutput(t, table.Printed.String(), "session since", "SIGHUP", "vanished", "≥ ")

	how := e2e.Start(t, "status", "@1", "--store", store, "--json")
	how.Exit(t, cmdline.ExitDone)
	var statuses []report.RunStatus
	e2e.Must(t, json.Unmarshal(how.Printed.Bytes(), &statuses))
	// It was killed when it had just taken the run, and cannot have lost more than there was time for.
	if st := statuses[0]; st.Ended != tracker.SessionVanished || st.Lost == nil ||
		*st.Lost > time.Since(s[1].Started).Seconds() {
		t.Errorf("status %+v", st)
	}
	shown := e2e.Start(t, "status", "@1", "--store", store)
	shown.Exit(t, cmdline.ExitDone)
	wantOutput(t, shown.Printed.String(), "ended", "vanished", "lost", "≤ ")

	last := e2e.Start(t, append([]string{"run", "--store", store},
		append(endlessRun[:len(endlessRun):len(endlessRun)], "--iterations", fmt.Sprint(left.Iterations+1))...)...)
	last.Exit(t, cmdline.ExitDone)
	wantOutput(t, last.Said.String(), fmt.Sprintf("resuming at iteration %d", left.Iterations),
		"its process ended without a trace: at most ", "of work is lost, all after")
}

// TestNohup: a SIGHUP that was ignored from the start is ignored.
func TestNohup(t *testing.T) {
	schematest.NeedsPrograms(t, "nohup")
	store := filepath.Join(t.TempDir(), "store.db")
	self, err := os.Executable()
	e2e.Must(t, err)
	link := filepath.Join(t.TempDir(), "podtrack")
	e2e.Must(t, os.Symlink(self, link))
	p := &e2e.Program{Cmd: exec.Command("nohup", append([]string{link, "run", "--store", store}, endlessRun...)...)}
	p.Stdout, p.Stderr = &p.Printed, &p.Said
	e2e.Must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // no effect once the process was waited for
	e2e.WaitUntilRunning(t, store)
	e2e.Must(t, p.Process.Signal(syscall.SIGHUP))
	e2e.Must(t, p.Process.Signal(syscall.SIGTERM))
	p.Exit(t, cmdline.ExitInterrupted)
	if s := detailOf(t, store, "@1").Sessions; len(s) != 1 || s[0].Signal != "SIGTERM" {
		t.Errorf("sessions %+v", s)
	}
}

// TestOwnerInAnotherNamespace: a process that cannot be seen from here keeps its run,
// and another process that wants it is told when it will be free.
func TestOwnerInAnotherNamespace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("namespaces are of Linux")
	}
	schematest.NeedsPrograms(t, "unshare")
	for name, flags := range map[string][]string{
		"PID":                  {"--pid", "--fork", "--mount-proc", "--kill-child"},
		"PID, /proc of others": {"--pid", "--fork", "--kill-child"},
		"time":                 {"--time", "--fork", "--kill-child", "--boottime", "86400"},
	} {
		t.Run(name, func(t *testing.T) {
			apart := func(args ...string) *e2e.Program {
				self, err := os.Executable()
				e2e.Must(t, err)
				link := filepath.Join(t.TempDir(), "podtrack")
				e2e.Must(t, os.Symlink(self, link))
				p := &e2e.Program{Cmd: exec.Command("unshare", append(append(flags[:len(flags):len(flags)], link), args...)...)}
				p.Stdout, p.Stderr = &p.Printed, &p.Said
				e2e.Must(t, p.Start())
				t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() }) // its child dies with it
				return p
			}
			if out, err := exec.Command("unshare", append(flags[:len(flags):len(flags)],
				"true")...).CombinedOutput(); err != nil {
				schematest.SkipLacking(t, "unshare %s is not permitted: %s", strings.Join(flags, " "), out)
			}
			store := filepath.Join(t.TempDir(), "store.db")
			apart(append([]string{"run", "--store", store}, endlessRun...)...)
			e2e.WaitUntilRunning(t, store)
			second := e2e.Start(t, "resume", "@1", "--store", store)
			second.Exit(t, cmdline.ExitLocked)
			wantOutput(t, second.Said.String(), "being worked on by process", "last heard of", "this machine cannot tell",
				"the run can be taken over in")
			if name == "time" {
				return
			}
			third := apart("resume", "@1", "--store", store)
			third.Exit(t, cmdline.ExitLocked)
			wantOutput(t, third.Said.String(), "the run can be taken over in")
		})
	}
}

// TestCrashOfAnEnvironment: it is a failure, whose text is the program's last words on
// one line, and the next attempt begins where it was saved.
func TestCrashOfAnEnvironment(t *testing.T) {
	schematest.NeedsPrograms(t, "sh")
	dir := t.TempDir()
	store, script := filepath.Join(dir, "store.db"), filepath.Join(dir, "env.sh")
	e2e.Must(t, os.WriteFile(script, []byte(`n=0
while read -r line; do
  n=$((n + 1))
  case $line in
  *hello*) echo '{"id":'$n',"protocol":1,"name":"two","version":"1","actions":["stay","go"],`+
		`"observes":{"kind":"discrete","n":2}}' ;;
  *reset*) echo '{"id":'$n',"observation":0}' ;;
  *)
    if [ $n -gt 150 ] && [ ! -e "$0.mended" ]; then printf 'out of \033[31mcheese\n' >&2; exit 3; fi
    echo '{"id":'$n',"observation":'$((n % 2))',"terminated":false,"truncated":false}' ;;
  esac
done
`), 0o666))
	env := []string{"--env", e2e.Exec("sh", script), "--store", store}
	p := e2e.Start(t, append([]string{"run", "--steps", "300", "--iterations", "1", "--learner", "empirical"}, env...)...)
	p.Exit(t, cmdline.ExitFailure)
	wantOutput(t, p.Said.String(), `out of \u001b[31mcheese`, "to continue from the saved state: podtrack resume")
	d := detailOf(t, store, "@1")
	if s := d.Sessions; d.Status != tracker.Failed || len(s) != 1 || s[0].State != tracker.SessionFailed ||
		!strings.Contains(s[0].Error, "cheese") {
		t.Errorf("%s, sessions %+v", d.Status, s)
	}
	table := e2e.Start(t, "show", "@1", "--store", store)
	table.Exit(t, cmdline.ExitDone)
	wantOutput(t, table.Printed.String(), "failure iteration 0: collect: after 148 of 300 steps: the environment failed",
		`out of \u001b[31mcheese`)
	e2e.Must(t, os.WriteFile(script+".mended", nil, 0o666))
	again := e2e.Start(t, append([]string{"resume", "@1"}, env...)...)
	again.Exit(t, cmdline.ExitDone)
	wantOutput(t, again.Said.String(), "resuming at iteration 0, collect: step ", "the last attempt failed")
}
