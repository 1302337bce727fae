package tracker_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/repair"
	"github.com/podtrack/podtrack/tracker/rows"
)

func planOfSeeds(seeds ...uint64) *runset.Plan {
	return &runset.Plan{Specs: []schema.Spec{Spec(0)}, Seeds: runset.SeedSet(seeds...), Iterations: 2}
}

// addPlan adds a plan and returns the keys of its rows.
func addPlan(t testing.TB, s *tracker.Store, p *runset.Plan, tag string) (plan, planned []byte) {
	t.Helper()
	name := addPlanAt(t, s, p, tag, "")
	return append([]byte("plan/"), name[:]...), append(append([]byte("planned/"), name[:]...), tag...)
}

func addPlanAt(t testing.TB, s *tracker.Store, p *runset.Plan, tag, folder string) (name schema.Digest) {
	t.Helper()
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) (err error) {
		name, err = tx.AddPlan(p, tag, tracker.Planned{Folder: folder})
		return err
	}))
	return name
}

// TestSpoiltPlans: check and readers of plans detect each, a repair finds the plan in free pages or drops what is left
// of it, and readers of runs are not affected.
func TestSpoiltPlans(t *testing.T) {
	type spoil struct {
		of      func(tx *tracker.Tx, plan, planned []byte) error
		planned bool // the list of plans cannot be read
	}
	put := func(tx *tracker.Tx, key []byte, v any) error {
		return rows.Write(tx.Rows(), rows.BucketPodtrack, key, v)
	}
	for name, c := range map[string]spoil{
		"other bytes of a plan": {of: func(tx *tracker.Tx, plan, _ []byte) error {
			return tx.Rows().Bucket(rows.BucketPodtrack).Put(plan, []byte("123456789"))
		}},
		"another plan": {of: func(tx *tracker.Tx, plan, _ []byte) error {
			encoded, err := planOfSeeds(5).Encode()
			OK(t, err)
			return tx.Rows().Put(rows.BucketPodtrack, plan, Unpacked(encoded))
		}},
		"a plan that claims 4 GiB": {of: func(tx *tracker.Tx, plan, _ []byte) error {
			bomb := append(binary.AppendUvarint([]byte{codec.Zstd}, codec.MaxRecord), make([]byte, 1<<18)...)
			return tx.Rows().Put(rows.BucketPodtrack, plan, bomb)
		}},
		"no plan": {of: func(tx *tracker.Tx, plan, _ []byte) error {
			return tx.Rows().Remove(rows.BucketPodtrack, plan)
		}},
		"no tag": {of: func(tx *tracker.Tx, _, planned []byte) error {
			return tx.Rows().Remove(rows.BucketPodtrack, planned)
		}},
		"other bytes of a tag": {planned: true, of: func(tx *tracker.Tx, _, planned []byte) error {
			return tx.Rows().Bucket(rows.BucketPodtrack).Put(planned, []byte("123456789"))
		}},
		"more fields": {planned: true, of: func(tx *tracker.Tx, _, planned []byte) error {
			return put(tx, planned, map[string]int64{"set": 1, "x": 1})
		}},
		"no text of a tag": {planned: true, of: func(tx *tracker.Tx, _, planned []byte) error {
			return put(tx, planned[:len(planned)-1], map[string]int64{"set": 1})
		}},
		"no such tag": {planned: true, of: func(tx *tracker.Tx, _, planned []byte) error {
			return put(tx, append(planned, " b"...), map[string]int64{"set": 1})
		}},
		"a short key": {planned: true, of: func(tx *tracker.Tx, _, _ []byte) error {
			return put(tx, []byte("planned/t"), map[string]int64{"set": 1})
		}},
		"a plan of a short key": {of: func(tx *tracker.Tx, _, _ []byte) error {
			return tx.Rows().Put(rows.BucketPodtrack, []byte("plan/t"), []byte("x"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := NewStore(t)
			Extend(t, s, 1, 1)
			plan, planned := addPlan(t, s, planOfSeeds(1, 2), "t")
			Equal(t, "damages before", fmt.Sprint(FormatDamages(Check(t, s, SelectAll))), "[]")
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return c.of(tx, plan, planned) }))
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
				_, err := tx.ReadPlannedTags()
				if c.planned {
					WantErr(t, err, tracker.ErrDamaged)
				} else {
					OK(t, err)
				}
				_, err = tx.ReadStatus(RunID(t, 1))
				return err
			}))
			if found := FormatDamages(Check(t, s, SelectAll)); len(found) != 1 || !strings.HasPrefix(found[0], "podtrack: ") {
				t.Errorf("check found %q", found)
			}
			to := NewEmptyStore(t, s)
			_, err := merge.CopyPlans(t.Context(), s, to, nil)
			OK(t, err)
			Sound(t, to)
			if !filelock.CanReplace {
				return
			}
			fixed, err := repair.Begin(t.Context(), s, nil)
			OK(t, err)
			defer fixed.Close()
			Sound(t, fixed.NewStore)
			if left := plansOf(t, fixed.NewStore); len(fixed.Report.Rows) == 0 && fmt.Sprint(left) != "[t: 1-2]" {
				t.Errorf("the repair reports no loss, and there is %q", left) // unless free pages have the row
			}
		})
	}
}

// TestPlansGoWithTheStore: a compaction, a backup, a merge and a repair keep plans.
func TestPlansGoWithTheStore(t *testing.T) {
	if !filelock.CanReplace {
		t.Skip("there are no compactions on this system")
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	long := strings.Repeat("t", tracker.MaxLabel)
	addPlan(t, s, planOfSeeds(1, 2, 3), "t")
	addPlan(t, s, planOfSeeds(3, 4, 5), "t")
	addPlan(t, s, planOfSeeds(3, 4, 5), long)
	want := plansOf(t, s)
	other := NewEmptyStore(t, s)
	for i, added := range []int{3, 0} {
		r, err := merge.CopyPlans(t.Context(), s, other, nil)
		OK(t, err)
		Equal(t, fmt.Sprint("plans of merge ", i), fmt.Sprint(r.Added, r.Refused), fmt.Sprint(added, []string(nil)))
		if diff := cmp.Diff(want, plansOf(t, other)); diff != "" {
			t.Errorf("merged: %s", diff)
		}
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	_, err := backup.Run(t.Context(), s, copied, backup.Options{})
	OK(t, err)
	if diff := cmp.Diff(want, plansOf(t, tracker.New(copied, tracker.Options{}))); diff != "" {
		t.Errorf("backed up: %s", diff)
	}
	_, err = backup.Compact(t.Context(), s, backup.CompactOptions{})
	OK(t, err)
	if diff := cmp.Diff(want, plansOf(t, s)); diff != "" {
		t.Errorf("compacted: %s", diff)
	}
	lost := schema.Name([]byte("lost"))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.Rows().Bucket(rows.BucketPodtrack).Put(append([]byte("plan/"), lost[:]...), []byte("123456789")))
		return rows.Write(tx.Rows(), rows.BucketPodtrack, append(append([]byte("planned/"), lost[:]...), "t"...),
			tracker.Planned{})
	}))
	r, err := repair.Begin(t.Context(), s, nil)
	OK(t, err)
	defer r.Close()
	Sound(t, r.NewStore)
	if diff := cmp.Diff(want, plansOf(t, r.NewStore)); diff != "" {
		t.Errorf("repaired: %s", diff)
	}
	Equal(t, "lost", len(r.Report.Rows), 2)
	Equal(t, "a run's", r.Report.Rows[0].Run, nil)
}

// TestMergedPlansAreTheUnion: stores that get each other's plans, in any order and as often as they like, end with the
// same plans under the same tags, none lost and none twice.
func TestMergedPlansAreTheUnion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		stores := []*tracker.Store{}
		want := map[string]bool{}
		for range 3 {
			s := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
			OK(t, s.Create(t.Context()))
			stores = append(stores, s)
			for range rapid.IntRange(0, 3).Draw(rt, "plans") {
				seed := rapid.Uint64Range(0, 3).Draw(rt, "seed")
				tag := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "tag")
				addPlan(t, s, planOfSeeds(seed), tag)
				want[fmt.Sprint(tag, ": ", seed)] = true
			}
		}
		for range 2 {
			for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order") {
				for j := range stores {
					if i == j {
						continue
					}
					_, err := merge.CopyPlans(t.Context(), stores[i], stores[j], nil)
					OK(t, err)
				}
			}
		}
		for _, s := range stores {
			got := map[string]bool{}
			for _, p := range plansOf(t, s) {
				if got[p] {
					rt.Errorf("%s twice", p)
				}
				got[p] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

func plansOf(t testing.TB, s *tracker.Store) (all []string) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		tags, err := tx.ReadPlannedTags()
		for _, p := range tags {
			plan, err := tx.ReadPlan(p.Plan)
			OK(t, err)
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s: %s %s", p.Tag, plan.Seeds, p.Folder)))
		}
		return err
	}))
	return all
}

// TestPlans: a tag has all plans that were added to it, each once; a plan goes with the last of its tags.
func TestPlans(t *testing.T) {
	s, c := NewStore(t)
	first := addPlanAt(t, s, planOfSeeds(0, 1, 2), "grid", "")
	c.Advance(1)
	addPlanAt(t, s, planOfSeeds(7), "grid", "")
	c.Advance(1)
	addPlanAt(t, s, planOfSeeds(0, 1, 2), "gridworld", "/folder")
	if diff := cmp.Diff([]string{"gridworld: 0-2 /folder", "grid: 7", "grid: 0-2"}, plansOf(t, s)); diff != "" {
		t.Error(diff)
	}
	c.Advance(1)
	addPlanAt(t, s, planOfSeeds(2, 1, 0), "grid", "/other") // the first one, set again
	if diff := cmp.Diff([]string{"grid: 0-2 /other", "gridworld: 0-2 /folder", "grid: 7"}, plansOf(t, s)); diff != "" {
		t.Error(diff)
	}
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		WantErr(t, tx.DropPlan(first, "gri"), tracker.ErrMissing)
		WantErr(t, tx.DropPlan(schema.Name(nil), "grid"), tracker.ErrMissing)
		return tx.DropPlan(first, "grid")
	}))
	if diff := cmp.Diff([]string{"gridworld: 0-2 /folder", "grid: 7"}, plansOf(t, s)); diff != "" {
		t.Error(diff)
	}
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.DropPlan(first, "gridworld") }))
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.ReadPlan(first)
		WantErr(t, err, tracker.ErrMissing)
		return nil
	}))
}

func TestPlansThatAreRefused(t *testing.T) {
	s, _ := NewStore(t)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for _, c := range []struct {
			tag, folder string
			plan        *runset.Plan
			sound       bool
		}{
			{"t", "", planOfSeeds(1), true},
			{"t", "\xff", planOfSeeds(1), false},
			{"t", "", planOfSeeds(), false},
			{"", "", planOfSeeds(1), false},
			{"a tag", "", planOfSeeds(1), false},
			{"a=b", "", planOfSeeds(1), false},
			{strings.Repeat("t", tracker.MaxLabel+1), "", planOfSeeds(1), false},
		} {
			_, err := tx.AddPlan(c.plan, c.tag, tracker.Planned{Folder: c.folder})
			if (err == nil) != c.sound || err != nil && !errors.Is(err, tracker.ErrInvalid) && !errors.Is(err, runset.ErrPlan) {
				t.Errorf("%q %.20q: %v", c.tag, c.folder, err)
			}
		}
		return nil
	}))
	Equal(t, "plans", len(plansOf(t, s)), 1)
}

// TestTagsOfAClaim: a run has its tags from its first transaction on.
func TestTagsOfAClaim(t *testing.T) {
	s, _ := NewStore(t)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), s))
	_, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: Spec(1), Target: 1, Tags: []string{"b", "a", "b"}})
	OK(t, err)
	_, _, err = w.Acquire(t.Context(), tracker.Claim{Spec: Spec(2), Target: 1, Tags: []string{"fine", "not fine"}})
	WantErr(t, err, tracker.ErrInvalid)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		tags, err := tx.ReadTags(RunID(t, 1))
		OK(t, err)
		Equal(t, "tags", fmt.Sprint(tags), "[a b]")
		_, err = tx.ReadRun(RunID(t, 2))
		WantErr(t, err, tracker.ErrMissing)
		return nil
	}))
}
