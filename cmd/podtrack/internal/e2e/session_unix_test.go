//go:build unix

package e2e

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
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// endlessRun takes minutes, so that what ends it finds it at work.
var endlessRun = []string{"--bits", "15", "--steps", "2000000", "--iterations", "500", "--reading", "as-published"}

// detailOf returns what show --json tells of the run with that reference.
func detailOf(t *testing.T, store, ref string) (d report.Detail) {
	t.Helper()
	p := start(t, "show", ref, "--json", "--store", store)
	p.exit(t, cmdline.ExitDone)
	must(t, json.Unmarshal(p.stdout.Bytes(), &d))
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
	hung := start(t, append([]string{"run", "--store", store}, endlessRun...)...)
	waitUntilRunning(t, store)
	if s := detailOf(t, store, "@1").Sessions; len(s) != 1 || s[0].State != tracker.SessionRunning ||
		s[0].PID != hung.Process.Pid {
		t.Errorf("at work: %+v", s)
	}
	must(t, hung.Process.Signal(syscall.SIGHUP))
	must(t, hung.Process.Signal(syscall.SIGHUP))
	hung.exit(t, cmdline.ExitInterrupted)
	gone := start(t, "status", "@1", "--store", store)
	gone.exit(t, cmdline.ExitDone)
	wantOutput(t, gone.stdout.String(), "SIGHUP  nothing")
	wantOutput(t, hung.stderr.String(), "interrupted, state saved", "to continue: podtrack resume")

	killed := start(t, "resume", "--store", store)
	waitUntilRunning(t, store)
	must(t, killed.Process.Kill())
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
	table := start(t, "show", "@1", "--store", store)
	table.exit(t, cmdline.ExitDone)
	wantOutput(t, table.stdout.String(), "session since", "SIGHUP", "vanished", "≥ ")

	how := start(t, "status", "@1", "--store", store, "--json")
	how.exit(t, cmdline.ExitDone)
	var statuses []report.RunStatus
	must(t, json.Unmarshal(how.stdout.Bytes(), &statuses))
	// It was killed when it had just taken the run, and cannot have lost more than there was time for.
	if st := statuses[0]; st.Ended != tracker.SessionVanished || st.Lost == nil ||
		*st.Lost > time.Since(s[1].Started).Seconds() {
		t.Errorf("status %+v", st)
	}
	shown := start(t, "status", "@1", "--store", store)
	shown.exit(t, cmdline.ExitDone)
	wantOutput(t, shown.stdout.String(), "ended", "vanished", "lost", "≤ ")

	last := start(t, append([]string{"run", "--store", store},
		append(endlessRun[:len(endlessRun):len(endlessRun)], "--iterations", fmt.Sprint(left.Iterations+1))...)...)
	last.exit(t, cmdline.ExitDone)
	wantOutput(t, last.stderr.String(), fmt.Sprintf("resuming at iteration %d", left.Iterations),
		"its process ended without a trace: at most ", "of work is lost, all after")
}

// TestNohup: a SIGHUP that was ignored from the start is ignored.
func TestNohup(t *testing.T) {
	testenv.NeedsPrograms(t, "nohup")
	store := filepath.Join(t.TempDir(), "store.db")
	self, err := os.Executable()
	must(t, err)
	link := filepath.Join(t.TempDir(), "podtrack")
	must(t, os.Symlink(self, link))
	p := &program{Cmd: exec.Command("nohup", append([]string{link, "run", "--store", store}, endlessRun...)...)}
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	must(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // of no effect once it was waited for
	waitUntilRunning(t, store)
	must(t, p.Process.Signal(syscall.SIGHUP))
	must(t, p.Process.Signal(syscall.SIGTERM))
	p.exit(t, cmdline.ExitInterrupted)
	if s := detailOf(t, store, "@1").Sessions; len(s) != 1 || s[0].Signal != "SIGTERM" {
		t.Errorf("sessions %+v", s)
	}
}

// TestOwnerInAnotherNamespace: a process that cannot be seen from here keeps its run,
// and who wants it is told when it can be had.
func TestOwnerInAnotherNamespace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("namespaces are of Linux")
	}
	testenv.NeedsPrograms(t, "unshare")
	for name, flags := range map[string][]string{
		"PID":                  {"--pid", "--fork", "--mount-proc", "--kill-child"},
		"PID, /proc of others": {"--pid", "--fork", "--kill-child"},
		"time":                 {"--time", "--fork", "--kill-child", "--boottime", "86400"},
	} {
		t.Run(name, func(t *testing.T) {
			apart := func(args ...string) *program {
				self, err := os.Executable()
				must(t, err)
				link := filepath.Join(t.TempDir(), "podtrack")
				must(t, os.Symlink(self, link))
				p := &program{Cmd: exec.Command("unshare", append(append(flags[:len(flags):len(flags)], link), args...)...)}
				p.Stdout, p.Stderr = &p.stdout, &p.stderr
				must(t, p.Start())
				t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() }) // its child dies with it
				return p
			}
			if out, err := exec.Command("unshare", append(flags[:len(flags):len(flags)],
				"true")...).CombinedOutput(); err != nil {
				testenv.SkipLacking(t, "unshare %s is not permitted: %s", strings.Join(flags, " "), out)
			}
			store := filepath.Join(t.TempDir(), "store.db")
			apart(append([]string{"run", "--store", store}, endlessRun...)...)
			waitUntilRunning(t, store)
			second := start(t, "resume", "@1", "--store", store)
			second.exit(t, cmdline.ExitLocked)
			wantOutput(t, second.stderr.String(), "being worked on by process", "last heard of", "cannot be seen from here",
				"the run can be taken over in")
			if name == "time" {
				return
			}
			third := apart("resume", "@1", "--store", store)
			third.exit(t, cmdline.ExitLocked)
			wantOutput(t, third.stderr.String(), "the run can be taken over in")
		})
	}
}

// TestCrashOfAnEnvironment: it is a failure, whose text is the program's last words on
// one line, and the next attempt begins where it was saved.
func TestCrashOfAnEnvironment(t *testing.T) {
	testenv.NeedsPrograms(t, "sh")
	dir := t.TempDir()
	store, script := filepath.Join(dir, "store.db"), filepath.Join(dir, "env.sh")
	must(t, os.WriteFile(script, []byte(`n=0
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
	env := []string{"--env", "exec:sh " + script, "--store", store}
	p := start(t, append([]string{"run", "--steps", "300", "--iterations", "1", "--learner", "empirical"}, env...)...)
	p.exit(t, cmdline.ExitFailure)
	wantOutput(t, p.stderr.String(), `out of \u001b[31mcheese`, "to continue from the saved state: podtrack resume")
	d := detailOf(t, store, "@1")
	if s := d.Sessions; d.Status != tracker.Failed || len(s) != 1 || s[0].State != tracker.SessionFailed ||
		!strings.Contains(s[0].Error, "cheese") {
		t.Errorf("%s, sessions %+v", d.Status, s)
	}
	table := start(t, "show", "@1", "--store", store)
	table.exit(t, cmdline.ExitDone)
	wantOutput(t, table.stdout.String(), "failure iteration 0: collect: the environment failed", `out of \u001b[31mcheese`)
	must(t, os.WriteFile(script+".mended", nil, 0o666))
	again := start(t, append([]string{"resume", "@1"}, env...)...)
	again.exit(t, cmdline.ExitDone)
	wantOutput(t, again.stderr.String(), "resuming at iteration 0, collect: step ", "the last attempt failed")
}
