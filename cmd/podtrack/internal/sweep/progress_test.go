package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// TestProgress: runs are counted by their states, of the whole plan and of a shard.
func TestProgress(t *testing.T) {
	plan, store := tinyPlan(), newStore(t)
	perform(t, plan, store, 2, 0, 1, 3)
	perform(t, plan, store, 1, 2, 4, 7)
	perform(t, &Plan{Plan: runset.Plan{Specs: plan.Specs, Seeds: runset.SeedSet(99)}}, store, 3, 0) // not in the plan

	l := NewProgress(plan, WholePlan)
	for range 2 { // what is known is not counted twice
		scan(t, l, store)
		c, _ := l.CountBySpec()
		if want := (Count{Runs: 8, Complete: 3, Begun: 3, Missing: 2, Iterations: 9, Wanted: 16}); c != want ||
			!slices.Equal(l.Remaining(), []int{2, 4, 5, 6, 7}) {
			t.Errorf("%+v, %v to do; want %+v", c, l.Remaining(), want)
		}
	}
	if _, specs := l.CountBySpec(); specs[0].Complete != 3 || specs[1].Complete != 0 || specs[1].Begun != 2 ||
		specs[0].Runs != 4 {
		t.Errorf("by spec %+v", specs)
	}
	l = NewProgress(plan, Shard{1, 3}) // runs 1, 4, 7
	scan(t, l, store)
	if c, _ := l.CountBySpec(); c.Runs != 3 || c.Complete != 1 || c.Begun != 2 ||
		!slices.Equal(l.Remaining(), []int{4, 7}) {
		t.Errorf("of a shard: %+v, %v to do", c, l.Remaining())
	}
}

// TestProgressBeyondPlan: runs with more iterations than the plan wants are complete, and their further iterations do
// not count.
func TestProgressBeyondPlan(t *testing.T) {
	plan, store := tinyPlan(), newStore(t)
	perform(t, plan, store, 2, 0)
	plan.Iterations = 1
	l := NewProgress(plan, WholePlan)
	scan(t, l, store)
	if c, _ := l.CountBySpec(); c.Complete != 1 || c.Iterations != 1 || c.Wanted != 8 {
		t.Errorf("%+v", c)
	}
}

// TestProgressWithoutStore: a store that does not exist has no runs. An interrupted scan computes no IDs of runs.
func TestProgressWithoutStore(t *testing.T) {
	l, store := NewProgress(tinyPlan(), WholePlan), tracker.New(filepath.Join(t.TempDir(), "none.db"), tracker.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Scan(ctx, store); !errors.Is(err, context.Canceled) || l.ids != nil {
		t.Errorf("interrupted: %v, %d runs", err, len(l.ids))
	}
	scan(t, l, store)
	if c, _ := l.CountBySpec(); c.Missing != c.Runs {
		t.Errorf("%+v", c)
	}
}

// TestAnnotate: existing runs get the plan's tags and names.
func TestAnnotate(t *testing.T) {
	p, store := tinyPlan(), newStore(t)
	perform(t, &Plan{Plan: p.Plan}, store, 1, 1, 4)
	p.Name = "k{kappa}-s{seed}"
	l := NewProgress(p, WholePlan)
	scan(t, l, store)
	for range 2 {
		_, err := p.Annotate(t.Context(), store, l)
		ok(t, err)
	}
	perform(t, p, store, 2, 1)
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			ok(t, err)
			a, err := tx.ReadAnnotation(run.ID)
			ok(t, err)
			tags, err := tx.ReadTags(run.ID)
			ok(t, err)
			if want, _ := ExpandName(p.Name, run.Spec); a.Name != want || !slices.Equal(tags, []string{"study"}) {
				t.Errorf("%q with tags %v, want %q", a.Name, tags, want)
			}
		}
		return nil
	}))
}
