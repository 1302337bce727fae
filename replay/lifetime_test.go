package replay_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// availableOf returns the options that each iteration had, and those that it made.
func availableOf(t *testing.T, store *tracker.Store, run tracker.Run) (available, made []int64) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) error {
		r, err := report.Summarise(tx, run)
		for k := 0; err == nil && k < r.Iterations; k++ {
			var m schema.Measures
			if m, err = report.LoadMeasures(tx, r.ID, k); err == nil {
				available, made = append(available, m.Available), append(made, m.Options)
			}
		}
		return err
	})
	return available, made
}

// TestLifetimes compares the options that are available with those that were made, in runs of every lifetime and in
// forks that change it. All of them replay.
func TestLifetimes(t *testing.T) {
	for _, c := range []struct {
		lifetime, forked schema.Lifetime
	}{
		{"", "replace"}, {"replace", ""}, {"last=2", "last=3"}, {"last=3", "replace"}, {"replace", "last=4"},
	} {
		spec := small()
		spec.Seed, spec.Options = 7, c.lifetime
		ok(t, spec.Validate())
		store, run := perform(t, replay.Job{Spec: spec, Target: 6})
		wantAvailable(t, store, run)
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(6, "===="))
		child := fork(t, store, run, 4, 7, func(s *schema.Spec) { s.Options = c.forked })
		wantAvailable(t, store, child)
		wantVerdicts(t, judge(t, store, child, replay.Scope{}), all(7, "===="))
		wantVerdicts(t, judge(t, store, child, only(5)), "====")
	}
}

// wantAvailable compares available with the options made in the iterations of each one's lifetime.
func wantAvailable(t *testing.T, store *tracker.Store, run tracker.Run) {
	t.Helper()
	available, made := availableOf(t, store, run)
	var want []int64
	for k := range made {
		n, sum := run.SpecAt(k).Options.Iterations(), int64(0)
		for i, options := range made[:k] {
			if n == 0 || k-i <= n {
				sum += options
			}
		}
		want = append(want, sum)
	}
	if !slices.Equal(available, want) {
		t.Errorf("%s: %d options available, want %d of %d made", run.Spec.Options, available, want, made)
	}
}

// TestLifetimeNeedsNoOthers prunes the options that a run can no longer call. The run continues as if they were there;
// a run that keeps its options cannot.
func TestLifetimeNeedsNoOthers(t *testing.T) {
	for lifetime, last := range map[schema.Lifetime]int{"replace": 1, "last=2": 2, "keep": 4} {
		spec := small()
		spec.Options = lifetime
		ok(t, spec.Validate())
		store, run := perform(t, replay.Job{Spec: spec, Target: 5})
		whole, _ := perform(t, replay.Job{Spec: spec, Target: 6})
		if prune(t, store, run, keeping{Last: last}) == 0 {
			t.Fatalf("%s: nothing was pruned", lifetime)
		}
		w := groupcommit.Start(t.Context(), store)
		var out replay.Outcome
		replay.NewEngine(store, w, replay.Options{}).Run(t.Context(), replay.Job{Spec: spec, Target: 6},
			func(o replay.Outcome) { out = o })
		ok(t, w.Close(t.Context()))
		if kept := spec.Options == schema.KeepOptions; kept != errors.Is(out.Err, tracker.ErrPruned) {
			t.Errorf("%s: %v", lifetime, out.Err)
		} else if want := runJobs(t, whole, []replay.Job{{Spec: spec, Target: 6}}, 1)[0].Head; !kept && out.Head != want {
			t.Errorf("%s: head %s, want %s", lifetime, out.Head, want)
		}
	}
}
