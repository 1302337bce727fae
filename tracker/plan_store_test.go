package tracker_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// TestSpoiltPlans: check and readers of the plan detect each, and readers of runs are not affected.
func TestSpoiltPlans(t *testing.T) {
	for name, spoil := range map[string]func(tx *tracker.Tx) error{
		"other bytes": func(tx *tracker.Tx) error {
			return tx.Rows().Bucket(rows.BucketPodtrack).Put([]byte("plan/t"), []byte("123456789"))
		},
		"no runs": func(tx *tracker.Tx) error {
			return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("plan/t"), tracker.Plan{})
		},
		"more fields": func(tx *tracker.Tx) error {
			return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("plan/t"),
				map[string]int64{"runs": 1, "iterations": 1, "set": 1, "x": 1})
		},
		"no tag": func(tx *tracker.Tx) error {
			return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("plan/"), tracker.Plan{Runs: 1})
		},
		"no such tag": func(tx *tracker.Tx) error {
			return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("plan/a b"), tracker.Plan{Runs: 1})
		},
		"format's form": func(tx *tracker.Tx) error {
			return rows.Write(tx.Rows(), rows.BucketPodtrack, []byte("plan/t"), map[string]uint64{"format": 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := NewStore(t)
			Extend(t, s, 1, 1)
			OK(t, s.Update(t.Context(), spoil))
			OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
				_, err := tx.ReadPlans()
				WantErr(t, err, tracker.ErrDamaged)
				_, err = tx.ReadStatus(RunID(t, 1))
				return err
			}))
			found := FormatDamages(Check(t, s, SelectAll))
			if len(found) != 1 || !strings.HasPrefix(found[0], "podtrack: row plan/") {
				t.Errorf("check found %q", found)
			}
		})
	}
}

// TestPlansGoWithTheStore: a compaction and a repair keep plans. Merges and bundles, which are of
// runs, do not.
func TestPlansGoWithTheStore(t *testing.T) {
	if !filelock.CanReplace {
		t.Skip("there are no compactions on this system")
	}
	s, _ := NewStore(t)
	Extend(t, s, 1, 2)
	long := strings.Repeat("t", tracker.MaxLabel) // of a key as long as those that begin with a run's ID
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.SetPlan("t",
			tracker.Plan{Runs: 3, Iterations: 6})
	}))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.SetPlan(long,
			tracker.Plan{Runs: 4, Iterations: 8})
	}))
	want := plansOf(t, s)
	other := NewEmptyStore(t, s)
	Merge(t, s, other)
	Equal(t, "plans of the copy", len(plansOf(t, other)), 0)
	_, err := s.Compact(t.Context(), nil)
	OK(t, err)
	if diff := cmp.Diff(want, plansOf(t, s)); diff != "" {
		t.Errorf("compacted: %s", diff)
	}
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.Rows().Bucket(rows.BucketPodtrack).Put([]byte("plan/"+long[1:]), []byte("123456789"))
	}))
	r, err := s.BeginRepair(t.Context())
	OK(t, err)
	defer r.Close()
	Sound(t, r.NewStore)
	if diff := cmp.Diff(want, plansOf(t, r.NewStore)); diff != "" {
		t.Errorf("repaired: %s", diff)
	}
	Equal(t, "lost", len(r.Report.Rows), 1)
	Equal(t, "a run's", r.Report.Rows[0].Run, nil)
}

func plansOf(t testing.TB, s *tracker.Store) (all []tracker.TaggedPlan) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) (err error) {
		all, err = tx.ReadPlans()
		return err
	}))
	return all
}
