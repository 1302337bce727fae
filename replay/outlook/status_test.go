package outlook

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestFraction: the costs of the stages decide how much of an iteration is done; without costs it is
// a typical share.
func TestFraction(t *testing.T) {
	costs := stageCosts{stages.Collect: 6, stages.Factor: 1, stages.Learn: 3}
	for _, c := range []struct {
		costs stageCosts
		at    *report.Position
		want  float64
	}{
		{costs, nil, 0},
		{nil, nil, 0},
		{costs, &report.Position{Stage: stages.Collect, Part: 50, Parts: 100}, 0.3},
		{costs, &report.Position{Stage: stages.Factor}, 0.6},
		{costs, &report.Position{Stage: stages.Learn, Part: 2, Parts: 3}, 0.9},
		{costs, &report.Position{Stage: stages.Measure}, 1},
		{costs, &report.Position{Stage: stages.Measure, Part: 9, Parts: 1}, 1},
		{costs, &report.Position{Stage: "of a later version", Part: 1, Parts: 2}, 0},
		{nil, &report.Position{Stage: stages.Collect, Part: 50, Parts: 100}, 0.15},
		{nil, &report.Position{Stage: stages.Learn, Part: 3, Parts: 3}, 1},
	} {
		if got := c.costs.fraction(c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v at %+v: %v, want %v", c.costs, c.at, got, c.want)
		}
	}
}

// TestLeastLeft: in its first iteration a run takes at least as long as the stages take that it has begun. The numbers
// are known: 10 s for half of the steps are 20 s for all of them, three times.
func TestLeastLeft(t *testing.T) {
	begun := tracker.Session{Started: 5e9, Saved: 15e9}
	for _, c := range []struct {
		at   *report.Position
		last tracker.Session
		done int
		want float64 // −1 for none
	}{
		{&report.Position{Stage: stages.Collect, Part: 50, Parts: 100}, begun, 0, 3*20 - 10},
		{&report.Position{Stage: stages.Learn, Part: 1, Parts: 90}, begun, 0, 3*10 - 10},
		{&report.Position{Stage: stages.Collect, Parts: 100}, begun, 0, -1},
		{nil, begun, 0, -1},
		{&report.Position{Stage: stages.Collect, Part: 50, Parts: 100}, begun, 1, -1},
		{&report.Position{Stage: stages.Collect, Part: 50, Parts: 100}, tracker.Session{Started: 5e9}, 0, -1},
	} {
		got := leastLeft(report.Run{Iterations: c.done, Target: 3}, c.at, c.last)
		switch {
		case got == nil && c.want >= 0, got != nil && math.Abs(*got-c.want) > 1e-12:
			t.Errorf("%+v of %+v: %v, want %v", c.at, c.last, got, c.want)
		}
	}
}

// TestOwnerOfRunning: a run at work names its process, wherever it stands in the list, and one that nobody works on
// names none.
func TestOwnerOfRunning(t *testing.T) {
	s := tracker.New(filepath.Join(t.TempDir(), "store.db"), tracker.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(s.Create(t.Context()))
	host, err := os.Hostname()
	check(err)
	atWork := map[uint64]bool{1: true, 2: true}
	for seed := range uint64(4) {
		spec := pod.PaperSpec()
		spec.Seed = seed
		w := groupcommit.Start(t.Context(), s)
		_, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 1})
		check(err)
		if atWork[seed] {
			defer w.Close(t.Context())
		} else {
			check(w.Close(t.Context()))
		}
	}
	check(s.View(t.Context(), func(tx *tracker.Tx) error {
		_, all, err := report.LoadNewest(tx, 0, 9)
		check(err)
		statuses, err := LoadStatus(tx, all, all)
		check(err)
		for _, r := range statuses {
			switch o := r.Owner; {
			case atWork[r.Spec.Seed] != (o != nil):
				t.Errorf("seed %d, %s: owner %v", r.Spec.Seed, r.Status, o)
			case o != nil && (o.PID != os.Getpid() || o.Host != host || time.Since(o.Since).Abs() > time.Hour):
				t.Errorf("seed %d: owner %+v, want process %d of %s", r.Spec.Seed, *o, os.Getpid(), host)
			}
		}
		if len(statuses) != 4 {
			t.Errorf("%d runs", len(statuses))
		}
		return nil
	}))
}
