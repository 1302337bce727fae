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
		ok(t, s.View(t.Context(), func(tx *Tx) error { f = tx.format; return nil }))
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
		wantErr(t, tx.RemovePlan("gri"), ErrMissing)
		return tx.RemovePlan("grid")
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
	sound(t, s)
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
			{"t", Plan{Runs: MaxPlannedRuns, Iterations: MaxPlannedRuns * MaxIterations}, true},
			{"t", Plan{}, false},
			{"t", Plan{Runs: -1}, false},
			{"t", Plan{Runs: MaxPlannedRuns + 1}, false},
			{"t", Plan{Runs: 1, Iterations: -1}, false},
			{"t", Plan{Runs: 1, Iterations: MaxIterations + 1}, false},
			{"t", Plan{Runs: 1, Iterations: math.MaxInt64}, false},
			{"", Plan{Runs: 1}, false},
			{"a tag", Plan{Runs: 1}, false},
			{"a=b", Plan{Runs: 1}, false},
			{strings.Repeat("t", maxLabel+1), Plan{Runs: 1}, false},
		} {
			if err := tx.SetPlan(c.tag, c.plan); (err == nil) != c.sound || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%q %+v: %v", c.tag, c.plan, err)
			}
		}
		return nil
	}))
}

// TestSpoiltPlans: check and readers of the plan detect each, and readers of runs are not affected.
func TestSpoiltPlans(t *testing.T) {
	for name, spoil := range map[string]func(tx *Tx) error{
		"other bytes": func(tx *Tx) error { return tx.buckets[bucketPodtrack].Put(planKey("t"), []byte("123456789")) },
		"no runs":     func(tx *Tx) error { return writeRow(tx, bucketPodtrack, planKey("t"), Plan{}) },
		"more fields": func(tx *Tx) error {
			return writeRow(tx, bucketPodtrack, planKey("t"),
				map[string]int64{"runs": 1, "iterations": 1, "set": 1, "x": 1})
		},
		"no tag":        func(tx *Tx) error { return writeRow(tx, bucketPodtrack, planKey(""), Plan{Runs: 1}) },
		"no such tag":   func(tx *Tx) error { return writeRow(tx, bucketPodtrack, planKey("a b"), Plan{Runs: 1}) },
		"format's form": func(tx *Tx) error { return writeRow(tx, bucketPodtrack, planKey("t"), formatRow{1}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newTestStore(t)
			extend(t, s, 1, 1)
			ok(t, s.Update(t.Context(), spoil))
			ok(t, s.View(t.Context(), func(tx *Tx) error {
				_, err := tx.ReadPlans()
				wantErr(t, err, ErrDamaged)
				_, err = tx.ReadStatus(runID(t, 1))
				return err
			}))
			found := formatDamages(checkStore(t, s, selectAll))
			if len(found) != 1 || !strings.HasPrefix(found[0], "podtrack: row plan/") {
				t.Errorf("check found %q", found)
			}
		})
	}
}

// TestPlansGoWithTheStore: a compaction and a repair keep plans. Merges and bundles, which are of
// runs, do not.
func TestPlansGoWithTheStore(t *testing.T) {
	skipUnlessReplaceable(t)
	s, _ := newTestStore(t)
	extend(t, s, 1, 2)
	long := strings.Repeat("t", maxLabel) // of a key as long as those that begin with a run's ID
	setPlan(t, s, "t", Plan{Runs: 3, Iterations: 6})
	setPlan(t, s, long, Plan{Runs: 4, Iterations: 8})
	want := plans(t, s)
	other := newEmptyStore(t, s)
	copied(t, s, other)
	equal(t, "plans of the copy", len(plans(t, other)), 0)
	compacted(t, s)
	if diff := cmp.Diff(want, plans(t, s)); diff != "" {
		t.Errorf("compacted: %s", diff)
	}
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		return tx.buckets[bucketPodtrack].Put(planKey(long[1:]), []byte("123456789"))
	}))
	r, err := s.BeginRepair(t.Context())
	ok(t, err)
	defer r.Close()
	sound(t, r.NewStore)
	if diff := cmp.Diff(want, plans(t, r.NewStore)); diff != "" {
		t.Errorf("repaired: %s", diff)
	}
	equal(t, "lost", len(r.Report.Rows), 1)
	equal(t, "a run's", r.Report.Rows[0].Run, nil)
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
		return again[formatRow](value)
	}
	return sure(schema.Marshal(p.Plan))
}
