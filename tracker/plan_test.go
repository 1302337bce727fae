package tracker

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
)

func plans(t testing.TB, s *Store) (all []TaggedPlan) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) (err error) {
		all, err = tx.ReadPlans()
		return err
	}))
	return all
}

func setPlan(t testing.TB, s *Store, tag string, p Plan) {
	t.Helper()
	ok(t, s.Update(t.Context(), func(tx *Tx) error { return tx.SetPlan(tag, p) }))
}

func TestPlans(t *testing.T) {
	s, c := newTestStore(t)
	format := func() (f uint64) {
		ok(t, s.View(t.Context(), func(tx *Tx) error { f = tx.rows.Format; return nil }))
		return f
	}
	before := format()
	setPlan(t, s, "grid", Plan{Runs: 10, Iterations: 50, Set: 7})
	setPlan(t, s, "gridworld", Plan{Runs: 1})
	setPlan(t, s, "grid", Plan{Runs: 12, Iterations: 60, Set: 8})
	equal(t, "format", format(), before)
	grid := TaggedPlan{"grid", Plan{Runs: 12, Iterations: 60, Set: 8}}
	newest := TaggedPlan{"gridworld", Plan{Runs: 1, Set: c.Now().UnixNano()}}
	if diff := cmp.Diff([]TaggedPlan{newest, grid}, plans(t, s)); diff != "" {
		t.Error(diff)
	}
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		p, err := tx.ReadPlan("grid")
		ok(t, err)
		equal(t, "plan", *p, grid.Plan)
		p, err = tx.ReadPlan("gri")
		equal(t, "plan of another tag", p, nil)
		return err
	}))
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		wantErr(t, tx.removePlan("gri"), ErrMissing)
		return tx.removePlan("grid")
	}))
	equal(t, "left", len(plans(t, s)), 1)
	extend(t, s, 1, 1)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return errors.Join(tx.AddTag(runID(t, 1), "grid"), tx.SetPlan("grid", grid.Plan),
			tx.RemoveUnusedPlans("grid", "gridworld", "none"))
	}))
	if diff := cmp.Diff([]TaggedPlan{grid}, plans(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	s, _ := newTestStore(t)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		for _, c := range []struct {
			tag   string
			plan  Plan
			sound bool
		}{
			{"t", Plan{Runs: 1}, true},
			{"t", Plan{Runs: maxPlannedRuns, Iterations: maxPlannedRuns * MaxIterations}, true},
			{"t", Plan{}, false},
			{"t", Plan{Runs: -1}, false},
			{"t", Plan{Runs: maxPlannedRuns + 1}, false},
			{"t", Plan{Runs: 1, Iterations: -1}, false},
			{"t", Plan{Runs: 1, Iterations: MaxIterations + 1}, false},
			{"t", Plan{Runs: 1, Iterations: math.MaxInt64}, false},
			{"", Plan{Runs: 1}, false},
			{"a tag", Plan{Runs: 1}, false},
			{"a=b", Plan{Runs: 1}, false},
			{strings.Repeat("t", MaxLabel+1), Plan{Runs: 1}, false},
		} {
			if err := tx.SetPlan(c.tag, c.plan); (err == nil) != c.sound || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%q %+v: %v", c.tag, c.plan, err)
			}
		}
		return nil
	}))
}

// TestTagsOfAClaim: a run has its tags from its first transaction on.
func TestTagsOfAClaim(t *testing.T) {
	s, _ := newTestStore(t)
	w := closeAtEnd(t, s.StartWriter(t.Context()))
	_, _, err := w.Acquire(t.Context(), Claim{Spec: spec(1), Target: 1, Tags: []string{"b", "a", "b"}})
	ok(t, err)
	_, _, err = w.Acquire(t.Context(), Claim{Spec: spec(2), Target: 1, Tags: []string{"fine", "not fine"}})
	wantErr(t, err, ErrInvalid)
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		tags, err := tx.ReadTags(runID(t, 1))
		ok(t, err)
		equal(t, "tags", fmt.Sprint(tags), "[a b]")
		_, err = tx.ReadRun(runID(t, 2))
		wantErr(t, err, ErrMissing)
		return nil
	}))
}

func podtrackAgain(value []byte) ([]byte, error) {
	p, err := decodePlan(planKey("tag"), value)
	if err != nil {
		return again[struct {
			Format uint64 `cbor:"format"`
		}](value)
	}
	return sure(schema.Marshal(p.Plan))
}
