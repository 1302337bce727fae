package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
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
	e2e.NeedsFaults(t) // commits at once, so that what is complete shows at once
	want := calmSweep(t)
	for _, sig := range schematest.Size([]os.Signal{os.Interrupt}, []os.Signal{os.Interrupt, e2e.Sigterm, os.Kill}) {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var args []string
			var store string
			var complete []report.Run
			inTime(t, func() bool {
				store = filepath.Join(t.TempDir(), "store.db")
				args = append(slices.Clip(longSweep), "--store", store)
				again := " " + strings.Join(longSweep, " ") + " --store " + textfmt.ShellQuote(store)
				p := e2e.StartFaulty(t, []string{e2e.Hurried}, args...)
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

// worker is a task of a sweep, on a machine that has a scratch of its own.
type worker struct {
	folder, scratch, store string
}

func newWorker(t *testing.T) worker {
	t.Helper()
	dir := t.TempDir()
	return worker{filepath.Join(dir, "folder"), t.TempDir(), filepath.Join(dir, "store.db")}
}

func (w worker) args(every string) []string {
	return append(slices.Clip(longSweep), "--folder", w.folder, "--store", w.store, "--shard", "0/1", "--scratch",
		w.scratch, "--save-every", every)
}

// parts returns the names of those that are there.
func (w worker) parts(t *testing.T) []string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(w.folder, "parts", "*.db"))
	e2e.Must(t, err)
	return parts
}

// hasSaved reports whether an iteration is saved.
func hasSaved(t *testing.T, w worker) bool {
	t.Helper()
	p := e2e.Start(t, "sweep", "--folder", w.folder, "--store", w.store, "--status", "--json")
	_ = p.Wait() // there may be no folder yet
	var c struct{ Iterations int }
	return json.Unmarshal(p.Printed.Bytes(), &c) == nil && c.Iterations > 0
}

type sweepProgress struct{ Runs, Complete, Iterations int }

// progress returns how far the sweep is, by store and parts.
func (w worker) progress(t *testing.T) (c sweepProgress) {
	t.Helper()
	p := e2e.Start(t, "sweep", "--folder", w.folder, "--store", w.store, "--status", "--json")
	p.Exit(t, cmdline.ExitDone)
	e2e.Must(t, json.Unmarshal(p.Printed.Bytes(), &c))
	return c
}

// gathered returns the sweep's heads in one store, whose records are all read.
func (w worker) gathered(t *testing.T) []report.Run {
	t.Helper()
	e2e.Perform(t, "sweep", "--folder", w.folder, "--store", w.store, "--gather")
	e2e.Perform(t, "check", "--read-data", "--store", w.store)
	if left := w.parts(t); len(left) > 0 {
		t.Errorf("parts are left: %v", left)
	}
	return e2e.List(t, w.store)
}

// TestStoppedWorker: a task that is told to stop leaves what it has, and one that is
// killed with its disk leaves what it had saved. Another one goes on from there.
func TestStoppedWorker(t *testing.T) {
	t.Parallel()
	e2e.NeedsFaults(t)
	want := calmSweep(t)
	for _, sig := range schematest.Size([]os.Signal{os.Kill}, []os.Signal{e2e.Sigterm, os.Kill}) {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var w worker
			var before sweepProgress
			inTime(t, func() bool {
				w = newWorker(t)
				if !w.stop(t, sig) {
					return false
				}
				before = w.progress(t)
				return before.Complete < before.Runs
			})
			if before.Iterations == 0 || before.Runs != len(want) {
				t.Fatalf("%+v before the second attempt", before)
			}
			w.finish(t, want, before.Iterations)
		})
	}
}

// stop has the worker work, and sends it a signal once something is saved, or is
// there to be saved. It reports whether the signal came in time.
func (w worker) stop(t *testing.T, sig os.Signal) bool {
	t.Helper()
	every := "1h"
	if sig == os.Kill {
		every = "1ms"
	}
	p := e2e.StartFaulty(t, []string{e2e.Hurried}, w.args(every)...)
	if !stop(t, p, sig, func() bool {
		stores, _ := filepath.Glob(filepath.Join(w.scratch, "*", "content"))
		if sig == os.Kill || len(stores) == 0 {
			return hasSaved(t, w)
		}
		return hasComplete(t, stores[0])
	}) {
		return false
	}
	if sig == os.Kill { // and its disk is gone
		e2e.Must(t, os.RemoveAll(w.scratch))
		e2e.Must(t, os.Mkdir(w.scratch, 0o777))
		return true
	}
	if words := p.Said.String(); !strings.Contains(words, "podtrack-faults sweep ") {
		t.Errorf("stderr does not say how to go on:\n%s", words)
	}
	w.checkScratch(t)
	return true
}

// finish makes the rest of a sweep in which so many iterations are saved already.
func (w worker) finish(t *testing.T, want map[string]string, saved int) {
	t.Helper()
	p := e2e.StartFaulty(t, []string{e2e.Hurried}, w.args("1h")...)
	p.Exit(t, cmdline.ExitDone)
	if !strings.Contains(p.Printed.String(), fmt.Sprintf("shard 0/1: %d of %d runs complete", len(want), len(want))) {
		t.Errorf("stdout: %s", p.Printed.String())
	}
	w.checkScratch(t)
	runs := w.gathered(t)
	if got := e2e.Heads(runs); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("heads\n%v, undisturbed\n%v", got, want)
	}
	made, wanted := 0, 0
	for _, r := range runs {
		wanted += r.Iterations
		sessions := sessionsOf(t, w.store, r.ID.String())
		for _, s := range sessions {
			made += s.To - s.From
		}
		if r.Status != tracker.Complete {
			t.Errorf("run %.7s is %s", r.ID, r.Status)
		}
	}
	if lost := made - wanted; lost > 4 { // of the run that was at work, at the most
		t.Errorf("%d iterations were made, of %d, though %d were saved", made, wanted, saved)
	}
}

// checkScratch finds nothing left of a task that ended.
func (w worker) checkScratch(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(w.scratch, "*")); len(left) > 0 {
		t.Errorf("left in the scratch: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(w.folder, "parts", ".*")); len(left) > 0 {
		t.Logf("left among the parts: %v", left)
	}
}
