package tracker

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// newStoreWithSharing makes a store of n runs, each of which lists a record of its own, one that it
// shares with the next run, and one that all runs share.
func newStoreWithSharing(t *testing.T, n int) (s *Store, ids []schema.Digest) {
	t.Helper()
	s, _ = NewStore(t)
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		for i := range n {
			r, err := tx.CreateRun(Claim{Spec: Spec(uint64(i))})
			ok(t, err)
			var names []schema.Digest
			for _, text := range []string{"all", fmt.Sprint("own", i), fmt.Sprint("pair", i), fmt.Sprint("pair", i+1)} {
				name := schema.Name([]byte(text))
				if names = append(names, name); !tx.HasRecord(name) {
					ok(t, tx.rows.AppendRecord(name, Unpacked([]byte(text))))
				}
			}
			ok(t, tx.rows.PutIteration(r.ID, 0, schema.Iteration{Link: names[1], Records: Entries(names...)}))
			ok(t, putCost(tx, r.ID))
			ids = append(ids, r.ID)
		}
		return nil
	}))
	return s, ids
}

// requireRecords ends the test unless all runs have their records.
func requireRecords(t *testing.T, s *Store) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) error {
		for r, err := range tx.Runs() {
			ok(t, err)
			its, err := tx.ReadIterations(r.ID)
			ok(t, err)
			for _, e := range its[0].Records {
				_, err := tx.ReadRecord(e.Name)
				ok(t, err)
			}
		}
		return nil
	}))
}

// TestRemoveLittleByLittle: many transactions leave the same as one, and after each the runs that are left have all
// their records.
func TestRemoveLittleByLittle(t *testing.T) {
	const n = 300
	once, ids := newStoreWithSharing(t, n)
	slowly, _ := newStoreWithSharing(t, n)
	doomed := ids[10 : n-10]
	var want RemoveReport
	ok(t, once.Update(t.Context(), func(tx *Tx) (err error) {
		want, err = RemoveInTx(tx, doomed...)
		return err
	}))
	equal(t, "records", want.Records, 2*len(doomed)-1)
	writes, late := 0, SecondStore(slowly)
	slowly.opts.OnUnlock = func(write bool, _ time.Duration) {
		if write {
			writes++
			requireRecords(t, late)
		}
	}
	got, err := Remove(t.Context(), slowly, doomed)
	ok(t, err)
	equal(t, "removed", got, want)
	if writes < 2 {
		t.Error("it was one transaction")
	}
	if diff := cmp.Diff(Content(t, once), Content(t, slowly)); diff != "" {
		t.Error(diff)
	}
}

// TestRemoveBesideAWriter: a run that is added meanwhile keeps its records.
func TestRemoveBesideAWriter(t *testing.T) {
	const n = 300
	s, ids := newStoreWithSharing(t, n)
	late := SecondStore(s)
	writes := 0
	s.opts.OnUnlock = func(write bool, _ time.Duration) {
		if write || writes == n {
			return
		}
		writes++ // after each look of the removal
		ok(t, late.Update(t.Context(), func(tx *Tx) error {
			r, err := tx.CreateRun(Claim{Spec: Spec(uint64(n + writes))})
			ok(t, err)
			var names []schema.Digest
			for _, text := range []string{"all", fmt.Sprint("own", n-writes)} {
				name := schema.Name([]byte(text))
				if names = append(names, name); !tx.HasRecord(name) {
					ok(t, tx.rows.AppendRecord(name, Unpacked([]byte(text))))
				}
			}
			ok(t, tx.rows.PutIteration(r.ID, 0, schema.Iteration{Link: names[1], Records: Entries(names...)}))
			return putCost(tx, r.ID)
		}))
	}
	_, err := Remove(t.Context(), s, ids)
	ok(t, err)
	s.opts.OnUnlock = nil
	equal(t, "runs", runCount(t, s), writes)
	requireRecords(t, s)
	equal(t, "unused", UnreferencedRecords(t, s), 0)
}

// TestRemoveRefusesFirst: if one of the runs is running or missing, none is removed.
func TestRemoveRefusesFirst(t *testing.T) {
	s, ids := newStoreWithSharing(t, 3)
	_, err := Remove(t.Context(), s, append(ids, schema.Digest{1}))
	wantErr(t, err, ErrMissing)
	Acquire(t, CloseAtEnd(t, StartWriter(t.Context(), s)), 2, 9)
	_, err = Remove(t.Context(), s, ids)
	wantErr(t, err, ErrLocked)
	equal(t, "runs", runCount(t, s), 3)
}

func putCost(tx *Tx, id schema.Digest) error {
	return rows.Write(tx.rows, rows.BucketCosts, rows.PartKey(id, 0), Cost{})
}

func runCount(t *testing.T, s *Store) int {
	t.Helper()
	return len(runIDs(t, s))
}

// runIDs returns the IDs of all runs, newest first.
func runIDs(t *testing.T, s *Store) (ids []schema.Digest) {
	t.Helper()
	ok(t, s.View(t.Context(), func(tx *Tx) (err error) {
		ids, err = ScanNewest(tx, all(func(_ *Tx, r Run) (schema.Digest, error) { return r.ID, nil }))
		return err
	}))
	return ids
}
