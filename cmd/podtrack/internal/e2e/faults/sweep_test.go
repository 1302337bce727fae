package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// longSweep are eight runs that take a tenth of a second each or more, one after another,
// so that a signal finds some of them complete and one at work.
var longSweep = []string{"sweep", "--bits", "10", "--steps", schematest.Size("1000000", "2000000"), "--iterations", "4",
	"--kappa", "1,2", "--seeds", "0-1", "--parallel", "1"}

// calmSweep returns its heads where nothing disturbs it.
func calmSweep(t *testing.T) map[string]string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "calm.db")
	e2e.Perform(t, append(slices.Clip(longSweep), "--store", store)...)
	want := e2e.Heads(e2e.List(t, store))
	if len(want) != 4 {
		t.Fatalf("%d runs", len(want))
	}
	return want
}

// inTime repeats an attempt that came too late: the speed of a program depends on the machine.
func inTime(t *testing.T, try func() bool) {
	t.Helper()
	for range 20 {
		if try() {
			return
		}
	}
	t.Fatal("it always comes too late")
}

// stop sends the process a signal once a condition holds, and waits for its end: it must be interrupted. It reports
// whether the signal came in time.
func stop(t *testing.T, p *e2e.Program, sig os.Signal, when func() bool) bool {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Wait()
	}()
	for so := false; !so; so = so || when() {
		select {
		case <-ended:
			so = true
		default:
		}
	}
	_ = p.Process.Signal(sig) // of no effect on one that has ended
	<-ended
	switch code := p.ProcessState.ExitCode(); {
	case code == cmdline.ExitDone:
		return false
	case sig != os.Kill && code != cmdline.ExitInterrupted:
		t.Fatalf("%s: exit code %d after %v\n%s", strings.Join(p.Args, " "), code, sig, p.Said.String())
	}
	return true
}

// hasComplete reports whether a run of the store is complete and another is not.
func hasComplete(t *testing.T, store string) bool {
	t.Helper()
	p := e2e.Start(t, "ls", "--json", "--store", store)
	if _ = p.Wait(); p.ProcessState.ExitCode() != cmdline.ExitDone {
		return false // there is no store yet
	}
	return strings.Contains(p.Printed.String(), `"complete"`) && strings.Contains(p.Printed.String(), `"running"`)
}

// TestInterruptedSweep: a sweep that is stopped, by whatever signal, says how to go on,
// and the same command makes what was not complete, and nothing else.
func TestInterruptedSweep(t *testing.T) {
	t.Parallel()
	needsFaults(t) // commits at once, so that what is complete shows at once
	want := calmSweep(t)
	for _, sig := range schematest.Size([]os.Signal{os.Interrupt}, []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill}) {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var args []string
			var store string
			var complete []report.Run
			inTime(t, func() bool {
				store = filepath.Join(t.TempDir(), "store.db")
				args = append(slices.Clip(longSweep), "--store", store)
				again := " " + strings.Join(longSweep, " ") + " --store " + textfmt.ShellQuote(store)
				p := startFaulty(t, []string{hurried}, args...)
				if !stop(t, p, sig, func() bool { return hasComplete(t, store) }) {
					return false
				}
				if words := p.Said.String(); sig != os.Kill && !strings.Contains(words, again) {
					t.Errorf("stderr does not say how to go on:\n%s", words)
				}
				complete = e2e.List(t, store, "status=complete")
				return len(complete) < len(want)
			})
			if len(complete) == 0 {
				t.Fatal("no run is complete")
			}
			e2e.Start(t, args...).Exit(t, 0)
			if got := e2e.Heads(e2e.List(t, store)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("heads\n%v, undisturbed\n%v", got, want)
			}
			for _, r := range complete {
				if s := sessionsOf(t, store, r.ID.String()); len(s) != 1 {
					t.Errorf("run %.7s was complete, and was made again: %+v", r.ID, s)
				}
			}
		})
	}
}

// session is a stretch of iterations that a process made.
type session struct{ From, To int }

func sessionsOf(t *testing.T, store, run string) []session {
	t.Helper()
	p := e2e.Start(t, "show", run, "--json", "--store", store)
	p.Exit(t, cmdline.ExitDone)
	var detail struct{ Sessions []session }
	e2e.Must(t, json.Unmarshal(p.Printed.Bytes(), &detail))
	return detail.Sessions
}

// TestTwins: a task that overlaps its twin, as a cluster can have it, leaves runs that the other works on alone. Both
// together make the runs of one.
func TestTwins(t *testing.T) {
	t.Parallel()
	want := calmSweep(t)
	args := append(slices.Clip(longSweep), "--shard", "0/1", "--store", filepath.Join(t.TempDir(), "part.db"))
	store := args[len(args)-1]
	twins := []*e2e.Program{e2e.Start(t, args...), e2e.Start(t, args...)}
	for _, p := range twins {
		_ = p.Wait()
		if code := p.ProcessState.ExitCode(); code != cmdline.ExitDone && (code != cmdline.ExitLocked ||
			!strings.Contains(p.Said.String(), "by other processes, which work on them")) {
			t.Errorf("exit code %d\n%s", code, p.Said.String())
		}
	}
	runs := e2e.List(t, store)
	if got := e2e.Heads(runs); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("heads\n%v, undisturbed\n%v", got, want)
	}
	for _, r := range runs {
		if s := sessionsOf(t, store, r.ID.String()); len(s) != 1 {
			t.Errorf("run %.7s was made by both: %+v", r.ID, s)
		}
	}
	e2e.Perform(t, "check", "--read-data", "--store", store)
}
