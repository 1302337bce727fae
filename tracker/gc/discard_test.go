package gc_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// allRows returns every row of the buckets that have rows of runs, by bucket and key.
func allRows(t *testing.T, s *tracker.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		for _, bucket := range append(slices.Clone(rows.RunBuckets), rows.BucketOrder, rows.BucketNames, rows.BucketDigests,
			rows.BucketRemoved) {
			for key, row := range tx.Rows().WithPrefix(bucket, nil) {
				all[fmt.Sprintf("%s %x", bucket, key)] = fmt.Sprintf("%x", row)
			}
		}
		return nil
	}))
	return all
}

func discard(t *testing.T, s *tracker.Store, ids ...schema.Digest) {
	t.Helper()
	n, damaged, err := gc.Discard(t.Context(), s, ids)
	OK(t, err)
	Equal(t, "removed", n, len(ids))
	Equal(t, "damaged", len(damaged), 0)
}

func readRemoved(t *testing.T, s *tracker.Store) (runs []gc.RemovedRun, damaged int) {
	t.Helper()
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		runs, damaged = gc.ReadRemoved(tx)
		return nil
	}))
	return runs, damaged
}

// TestUndeleteRestoresEverything: the rows are the same, byte for byte, and while the run is removed, none of it can be
// seen.
func TestUndeleteRestoresEverything(t *testing.T) {
	s, id := NewStoreOfEverything(t)
	before := allRows(t, s)
	discard(t, s, id)
	Sound(t, s)
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.Resolve("name-1")
		WantErr(t, err, tracker.ErrMissing)
		_, err = tx.ReadRun(id)
		WantErr(t, err, tracker.ErrMissing)
		for _, bucket := range rows.RunBuckets {
			Equal(t, "rows in "+bucket, len(tx.Rows().Keys(bucket, id[:])), 0)
		}
		return nil
	}))
	removed, damaged := readRemoved(t, s)
	Equal(t, "damaged", damaged, 0)
	Equal(t, "removed", len(removed), 1)
	Equal(t, "name", removed[0].Name, "name-1")
	n, taken, err := gc.Undelete(t.Context(), s, removed)
	OK(t, err)
	Equal(t, "restored", n, 1)
	Equal(t, "taken names", len(taken), 0)
	if diff := cmp.Diff(before, allRows(t, s)); diff != "" {
		t.Error(diff)
	}
	Sound(t, s)
}

// TestDiscardManyRuns: many transactions have the same result as one, and so do those that restore.
func TestDiscardManyRuns(t *testing.T) {
	const n = 120
	s, _ := NewStore(t)
	var ids []schema.Digest
	for seed := range uint64(n) {
		ids = append(ids, Extend(t, s, seed, 1))
	}
	before, content := allRows(t, s), Content(t, s)
	discard(t, s, ids[10:]...)
	removed, _ := readRemoved(t, s)
	Equal(t, "removed", len(removed), n-10)
	for _, r := range removed {
		Equal(t, "time", r.Removed, removed[0].Removed)
	}
	_, _, err := gc.Undelete(t.Context(), s, removed)
	OK(t, err)
	if diff := cmp.Diff(before, allRows(t, s)) + cmp.Diff(content, Content(t, s)); diff != "" {
		t.Error(diff)
	}
}

// TestUndeleteSome: those runs that were given are restored, in any order, and no others.
func TestUndeleteSome(t *testing.T) {
	s, _ := NewStore(t)
	var ids []schema.Digest
	for seed := range uint64(4) {
		ids = append(ids, Extend(t, s, seed, 1))
	}
	rapid.Check(t, func(rt *rapid.T) {
		chosen := rapid.Permutation(ids).Draw(rt, "order")[:rapid.IntRange(0, len(ids)).Draw(rt, "restored")]
		discard(t, s, ids...)
		removed, _ := readRemoved(t, s)
		byID := map[schema.Digest]gc.RemovedRun{}
		for _, r := range removed {
			byID[r.ID] = r
		}
		restore := func(ids []schema.Digest) {
			var runs []gc.RemovedRun
			for _, id := range ids {
				runs = append(runs, byID[id])
			}
			n, _, err := gc.Undelete(t.Context(), s, runs)
			OK(t, err)
			Equal(t, "restored", n, len(ids))
		}
		restore(chosen)
		left := slices.DeleteFunc(slices.Clone(ids), func(id schema.Digest) bool { return slices.Contains(chosen, id) })
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			for _, id := range ids {
				if _, err := tx.ReadRun(id); (err == nil) != slices.Contains(chosen, id) {
					rt.Errorf("restored %v: run %s: %v", chosen, id, err)
				}
			}
			return nil
		}))
		restore(left)
	})
}

// TestDiscardOfDamaged: a run with a damaged row is left to Remove; one that is at work is refused.
func TestDiscardOfDamaged(t *testing.T) {
	s, _ := NewStore(t)
	a, b := Extend(t, s, 1, 2), Extend(t, s, 2, 2)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		return tx.Rows().Bucket(rows.BucketCosts).Put(rows.PartKey(a, 0), []byte("damaged row"))
	}))
	n, damaged, err := gc.Discard(t.Context(), s, []schema.Digest{a, b})
	OK(t, err)
	Equal(t, "removed", n, 1)
	Equal(t, "damaged", fmt.Sprint(damaged), fmt.Sprint([]schema.Digest{a}))
	_, _, err = gc.Discard(t.Context(), s, []schema.Digest{b})
	WantErr(t, err, tracker.ErrMissing)
	Begin(t, CloseAtEnd(t, groupcommit.Start(t.Context(), s)), 3, 1)
	_, _, err = gc.Discard(t.Context(), s, []schema.Digest{RunID(t, 3)})
	WantErr(t, err, tracker.ErrLocked)
}

// TestUndeleteOfDamaged: a run that cannot be restored completely is not restored, and does not block others.
func TestUndeleteOfDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, tx *tracker.Tx, key, row []byte) error
		listed int
		want   error
	}{
		"row": {func(_ *testing.T, tx *tracker.Tx, key, row []byte) error {
			row[0]++
			return tx.Rows().Bucket(rows.BucketRemoved).Put(key, row)
		}, 0, nil},
		"record": {func(t *testing.T, tx *tracker.Tx, _, _ []byte) error {
			for name := range gc.RemovedRecords(tx) {
				_, err := tx.Rows().DeleteRecord(name)
				return err
			}
			t.Fatal("the run names no records")
			return nil
		}, 1, tracker.ErrMissing},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := NewStore(t)
			id := Extend(t, s, 1, 2)
			discard(t, s, id)
			OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
				for key, row := range tx.Rows().WithPrefix(rows.BucketRemoved, nil) {
					return c.damage(t, tx, bytes.Clone(key), bytes.Clone(row))
				}
				return nil
			}))
			before := allRows(t, s)
			removed, _ := readRemoved(t, s)
			Equal(t, "listed", len(removed), c.listed)
			_, _, err := gc.Undelete(t.Context(), s, removed)
			WantErr(t, err, c.want)
			if diff := cmp.Diff(before, allRows(t, s)); diff != "" {
				t.Error(diff)
			}
			Extend(t, s, 1, 2)
			PruneTo(t, s, &tracker.Retention{}, id)
			Check(t, s, check.Options{})
		})
	}
}
