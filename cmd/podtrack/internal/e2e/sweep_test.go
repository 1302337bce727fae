package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// longSweep are eight runs that take a tenth of a second each or more, one after another,
// so that a signal finds some of them complete and one at work.
var longSweep = []string{"sweep", "--bits", "10", "--steps", testenv.Size("1000000", "2000000"), "--iterations", "4",
	"--kappa", "1,2", "--seeds", "0-1", "--parallel", "1"}

// calmSweep returns its heads where nothing disturbs it.
func calmSweep(t *testing.T) map[string]string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "calm.db")
	perform(t, append(slices.Clip(longSweep), "--store", store)...)
	want := heads(list(t, store))
	if len(want) != 4 {
		t.Fatalf("%d runs", len(want))
	}
	return want
}

// inTime tries again while something came too late: how fast a program is, is the
// machine's affair.
func inTime(t *testing.T, try func() bool) {
	t.Helper()
	for range 20 {
		if try() {
			return
		}
	}
	t.Fatal("it always comes too late")
}

// stop sends the process a signal when something is so, and waits for its end: it
// must be interrupted. It reports whether that came in time.
func (p *program) stop(t *testing.T, sig os.Signal, when func() bool) bool {
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
		t.Fatalf("%s: exit code %d after %v\n%s", strings.Join(p.Args, " "), code, sig, p.stderr.String())
	}
	return true
}

// hasComplete reports whether a run of the store is complete and another is not.
func hasComplete(t *testing.T, store string) bool {
	t.Helper()
	p := start(t, "ls", "--json", "--store", store)
	if _ = p.Wait(); p.ProcessState.ExitCode() != cmdline.ExitDone {
		return false // there is no store yet
	}
	return strings.Contains(p.stdout.String(), `"complete"`) && strings.Contains(p.stdout.String(), `"running"`)
}

// TestInterruptedSweep: a sweep that is stopped, by whatever signal, says how to go on,
// and the same command makes what was not complete, and nothing else.
func TestInterruptedSweep(t *testing.T) {
	t.Parallel()
	needsFaults(t) // commits at once, so that what is complete shows at once
	want := calmSweep(t)
	for _, sig := range testenv.Size([]os.Signal{os.Interrupt}, []os.Signal{os.Interrupt, sigterm, os.Kill}) {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var args []string
			var store string
			var complete []report.Run
			inTime(t, func() bool {
				store = filepath.Join(t.TempDir(), "store.db")
				args = append(slices.Clip(longSweep), "--store", store)
				p := startFaulty(t, []string{hurried}, args...)
				if !p.stop(t, sig, func() bool { return hasComplete(t, store) }) {
					return false
				}
				if words := p.stderr.String(); sig != os.Kill && !strings.Contains(words, " "+strings.Join(args, " ")) {
					t.Errorf("stderr does not say how to go on:\n%s", words)
				}
				complete = list(t, store, "status=complete")
				return len(complete) < len(want)
			})
			if len(complete) == 0 {
				t.Fatal("no run is complete")
			}
			start(t, args...).exit(t, 0)
			if got := heads(list(t, store)); fmt.Sprint(got) != fmt.Sprint(want) {
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
	p := start(t, "show", run, "--json", "--store", store)
	p.exit(t, cmdline.ExitDone)
	var detail struct{ Sessions []session }
	must(t, json.Unmarshal(p.stdout.Bytes(), &detail))
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
	must(t, err)
	return parts
}

// hasSaved reports whether an iteration is saved.
func hasSaved(t *testing.T, w worker) bool {
	t.Helper()
	p := start(t, "sweep", "--folder", w.folder, "--store", w.store, "--status", "--json")
	_ = p.Wait() // there may be no folder yet
	var c struct{ Iterations int }
	return json.Unmarshal(p.stdout.Bytes(), &c) == nil && c.Iterations > 0
}

type sweepProgress struct{ Runs, Complete, Iterations int }

// progress returns how far the sweep is, by store and parts.
func (w worker) progress(t *testing.T) (c sweepProgress) {
	t.Helper()
	p := start(t, "sweep", "--folder", w.folder, "--store", w.store, "--status", "--json")
	p.exit(t, cmdline.ExitDone)
	must(t, json.Unmarshal(p.stdout.Bytes(), &c))
	return c
}

// gathered returns the sweep's heads in one store, whose records are all read.
func (w worker) gathered(t *testing.T) []report.Run {
	t.Helper()
	perform(t, "sweep", "--folder", w.folder, "--store", w.store, "--gather")
	perform(t, "check", "--read-data", "--store", w.store)
	if left := w.parts(t); len(left) > 0 {
		t.Errorf("parts are left: %v", left)
	}
	return list(t, w.store)
}

// TestStoppedWorker: a task that is told to stop leaves what it has, and one that is
// killed with its disk leaves what it had saved. Another one goes on from there.
func TestStoppedWorker(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	want := calmSweep(t)
	for _, sig := range testenv.Size([]os.Signal{os.Kill}, []os.Signal{sigterm, os.Kill}) {
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
	p := startFaulty(t, []string{hurried}, w.args(every)...)
	if !p.stop(t, sig, func() bool {
		stores, _ := filepath.Glob(filepath.Join(w.scratch, "*", "content"))
		if sig == os.Kill || len(stores) == 0 {
			return hasSaved(t, w)
		}
		return hasComplete(t, stores[0])
	}) {
		return false
	}
	if sig == os.Kill { // and its disk is gone
		must(t, os.RemoveAll(w.scratch))
		must(t, os.Mkdir(w.scratch, 0o777))
		return true
	}
	if words := p.stderr.String(); !strings.Contains(words, "podtrack-faults sweep ") {
		t.Errorf("stderr does not say how to go on:\n%s", words)
	}
	w.checkScratch(t)
	return true
}

// finish makes the rest of a sweep in which so many iterations are saved already.
func (w worker) finish(t *testing.T, want map[string]string, saved int) {
	t.Helper()
	p := startFaulty(t, []string{hurried}, w.args("1h")...)
	p.exit(t, cmdline.ExitDone)
	if !strings.Contains(p.stdout.String(), fmt.Sprintf("shard 0/1: %d of %d runs complete", len(want), len(want))) {
		t.Errorf("stdout: %s", p.stdout.String())
	}
	w.checkScratch(t)
	runs := w.gathered(t)
	if got := heads(runs); fmt.Sprint(got) != fmt.Sprint(want) {
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
