package gc_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// newStoreWithSharing makes a store of n runs, each of which lists a record of its own, one that it
// shares with the next run, and one that all runs share.
func newStoreWithSharing(t *testing.T, n int) (s *tracker.Store, ids []schema.Digest) {
	t.Helper()
	s, _ = NewStore(t)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		for i := range n {
			r, err := tx.CreateRun(tracker.Claim{Spec: Spec(uint64(i))})
			OK(t, err)
			var names []schema.Digest
			for _, text := range []string{"all", fmt.Sprint("own", i), fmt.Sprint("pair", i), fmt.Sprint("pair", i+1)} {
				name := schema.Name([]byte(text))
				if names = append(names, name); !tx.Rows().HasRecord(name) {
					OK(t, tx.Rows().AppendRecord(name, Unpacked([]byte(text))))
				}
			}
			OK(t, tx.Rows().PutIteration(r.ID, 0, schema.Iteration{Link: names[1], Records: Entries(names...)}))
			OK(t, putCost(tx, r.ID))
			ids = append(ids, r.ID)
		}
		return nil
	}))
	return s, ids
}

// requireRecords ends the test unless all runs have their records.
func requireRecords(t *testing.T, s *tracker.Store) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			OK(t, err)
			its, err := tx.ReadIterations(r.ID)
			OK(t, err)
			for _, e := range its[0].Records {
				_, err := tx.ReadRecord(e.Name)
				OK(t, err)
			}
		}
		return nil
	}))
}

// TestRemoveLittleByLittle: many transactions leave the same as one, and after each the runs that are left have all
// their records.
func TestRemoveLittleByLittle(t *testing.T) {
	const n = 400
	once, ids := newStoreWithSharing(t, n)
	slowly, _ := newStoreWithSharing(t, n)
	doomed := ids[10 : n-10]
	want := removeAtOnce(t, once, doomed)
	Equal(t, "records", want.Records, 2*len(doomed)-1)
	writes, late := 0, SecondStore(slowly)
	o := slowly.Options()
	o.OnUnlock = func(write bool, _ time.Duration) {
		if write {
			writes++
			requireRecords(t, late)
		}
	}
	got, err := gc.Remove(t.Context(), tracker.New(slowly.Path(), o), doomed)
	OK(t, err)
	Equal(t, "removed", got, want)
	if writes < 2 {
		t.Error("it was one transaction")
	}
	if diff := cmp.Diff(Content(t, once), Content(t, slowly)); diff != "" {
		t.Error(diff)
	}
}

// removeAtOnce removes runs in one transaction.
func removeAtOnce(t *testing.T, s *tracker.Store, ids []schema.Digest) gc.RemoveReport {
	defer func(before int64) { portion.Tx = before }(portion.Tx)
	portion.Tx = math.MaxInt64
	writes, o := 0, s.Options()
	o.OnUnlock = func(write bool, _ time.Duration) {
		if write {
			writes++
		}
	}
	removed, err := gc.Remove(t.Context(), tracker.New(s.Path(), o), ids)
	OK(t, err)
	Equal(t, "transactions", writes, 1)
	return removed
}

// TestRemoveBesideAWriter: a run that is added meanwhile keeps its records.
func TestRemoveBesideAWriter(t *testing.T) {
	const n = 300
	s, ids := newStoreWithSharing(t, n)
	late := SecondStore(s)
	writes := 0
	o := s.Options()
	o.OnUnlock = func(write bool, _ time.Duration) {
		if write || writes == n {
			return
		}
		writes++ // after each look of the removal
		OK(t, late.Update(t.Context(), func(tx *tracker.Tx) error {
			r, err := tx.CreateRun(tracker.Claim{Spec: Spec(uint64(n + writes))})
			OK(t, err)
			var names []schema.Digest
			for _, text := range []string{"all", fmt.Sprint("own", n-writes)} {
				name := schema.Name([]byte(text))
				if names = append(names, name); !tx.Rows().HasRecord(name) {
					OK(t, tx.Rows().AppendRecord(name, Unpacked([]byte(text))))
				}
			}
			OK(t, tx.Rows().PutIteration(r.ID, 0, schema.Iteration{Link: names[1], Records: Entries(names...)}))
			return putCost(tx, r.ID)
		}))
	}
	_, err := gc.Remove(t.Context(), tracker.New(s.Path(), o), ids)
	OK(t, err)
	Equal(t, "runs", runCount(t, s), writes)
	requireRecords(t, s)
	Equal(t, "unused", UnreferencedRecords(t, s), 0)
}

// TestRemoveRefusesFirst: if one of the runs is running or missing, none is removed.
func TestRemoveRefusesFirst(t *testing.T) {
	s, ids := newStoreWithSharing(t, 3)
	_, err := gc.Remove(t.Context(), s, append(ids, schema.Digest{1}))
	WantErr(t, err, tracker.ErrMissing)
	Acquire(t, CloseAtEnd(t, groupcommit.Start(t.Context(), s)), 2, 9)
	_, err = gc.Remove(t.Context(), s, ids)
	WantErr(t, err, tracker.ErrLocked)
	Equal(t, "runs", runCount(t, s), 3)
}

func putCost(tx *tracker.Tx, id schema.Digest) error {
	return rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, 0), tracker.Cost{})
}

func runCount(t *testing.T, s *tracker.Store) int {
	t.Helper()
	return len(runIDs(t, s))
}

// runIDs returns the IDs of all runs, newest first.
func runIDs(t *testing.T, s *tracker.Store) (ids []schema.Digest) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			OK(t, err)
			ids = append(ids, run.ID)
		}
		return nil
	}))
	return ids
}
