package tracker

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
)

// planOf returns a plan of runs of one spec with the seeds.
func planOf(seeds ...uint64) *schema.Plan {
	s := spec(0)
	s.Seed = 0
	return &schema.Plan{Specs: []schema.Spec{s}, Seeds: schema.SeedSet(seeds...), Iterations: 2}
}

// plans returns the tags of plans with the seeds of each.
func plans(t testing.TB, s *Store) (all []string) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		tags, err := tx.ReadPlannedTags()
		for _, p := range tags {
			plan, err := tx.ReadPlan(p.Plan)
			ok(t, err)
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s: %s %s", p.Tag, plan.Seeds, p.Folder)))
		}
		return err
	}))
	return all
}

func addPlan(t testing.TB, s *Store, p *schema.Plan, tag, folder string) (name schema.Digest) {
	t.Helper()
	ok(t, s.Update(t.Context(), func(tx *Tx) (err error) {
		name, err = tx.AddPlan(p, tag, Planned{Folder: folder})
		return err
	}))
	return name
}

// TestPlans: a tag has all plans that were added to it, each once; a plan goes with the last of its tags.
func TestPlans(t *testing.T) {
	s, c := newTestStore(t)
	first := addPlan(t, s, planOf(0, 1, 2), "grid", "")
	c.advance(1)
	addPlan(t, s, planOf(7), "grid", "")
	c.advance(1)
	addPlan(t, s, planOf(0, 1, 2), "gridworld", "/folder")
	if diff := cmp.Diff([]string{"gridworld: 0-2 /folder", "grid: 7", "grid: 0-2"}, plans(t, s)); diff != "" {
		t.Error(diff)
	}
	c.advance(1)
	addPlan(t, s, planOf(2, 1, 0), "grid", "/other") // the first one, set again
	if diff := cmp.Diff([]string{"grid: 0-2 /other", "gridworld: 0-2 /folder", "grid: 7"}, plans(t, s)); diff != "" {
		t.Error(diff)
	}
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		wantErr(t, tx.DropPlan(first, "gri"), ErrMissing)
		wantErr(t, tx.DropPlan(schema.Name(nil), "grid"), ErrMissing)
		return tx.DropPlan(first, "grid")
	}))
	if diff := cmp.Diff([]string{"gridworld: 0-2 /folder", "grid: 7"}, plans(t, s)); diff != "" {
		t.Error(diff)
	}
	ok(t, s.Update(t.Context(), func(tx *Tx) error { return tx.DropPlan(first, "gridworld") }))
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		_, err := tx.ReadPlan(first)
		wantErr(t, err, ErrMissing)
		return nil
	}))
}

func TestPlansThatAreRefused(t *testing.T) {
	s, _ := newTestStore(t)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		for _, c := range []struct {
			tag, folder string
			plan        *schema.Plan
			sound       bool
		}{
			{"t", "", planOf(1), true},
			{"t", strings.Repeat("f", maxFolder), planOf(1), true},
			{"t", strings.Repeat("f", maxFolder+1), planOf(1), false},
			{"t", "\xff", planOf(1), false},
			{"t", "", planOf(), false},
			{"", "", planOf(1), false},
			{"a tag", "", planOf(1), false},
			{"a=b", "", planOf(1), false},
			{strings.Repeat("t", MaxLabel+1), "", planOf(1), false},
		} {
			_, err := tx.AddPlan(c.plan, c.tag, Planned{Folder: c.folder})
			if (err == nil) != c.sound || err != nil && !errors.Is(err, ErrInvalid) && !errors.Is(err, schema.ErrPlan) {
				t.Errorf("%q %.20q: %v", c.tag, c.folder, err)
			}
		}
		return nil
	}))
	equal(t, "plans", len(plans(t, s)), 1)
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
	p, err := decodePlanned(plannedKey(schema.Digest{}, "tag"), value)
	if err != nil {
		return again[struct {
			Format uint64 `cbor:"format"`
		}](value)
	}
	return sure(schema.Marshal(p.Planned))
}
