package merge_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestMergeNeverFillsItsTransactions merges more runs than fit into one transaction: rows count,
// however small they are.
func TestMergeNeverFillsItsTransactions(t *testing.T) {
	t.Parallel()
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 1500, 2)
	writes := 0
	to := tracker.New(NewEmptyStore(t, from).Path(), tracker.Options{OnUnlock: func(write bool, _ time.Duration) {
		if write {
			writes++
		}
	}})
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "1500 new")
	if least := 1500 * (rows.RunBytes + 4*tracker.RowCost) / int(portion.Tx); writes < least {
		t.Errorf("%d transactions, and not at least %d", writes, least)
	}
}

// TestMergeOfLargeNotes merges runs that do not fit into memory together as groups that do.
func TestMergeOfLargeNotes(t *testing.T) {
	t.Parallel()
	const runs = 41
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "notes.db"), runs, 1)
	note := func(r tracker.Run) string { return strings.Repeat("x", 500<<10+int(r.Spec.Seed)) }
	eachRun := func(s *tracker.Store, do func(tx *tracker.Tx, r tracker.Run) error) {
		t.Helper()
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			for r, err := range tx.Runs() {
				OK(t, err)
				OK(t, do(tx, r))
			}
			return nil
		}))
	}
	eachRun(from, func(tx *tracker.Tx, r tracker.Run) error { return tx.SetNote(r.ID, note(r)) })
	to := NewEmptyStore(t, from)
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "41 new")
	seed := uint64(runs)
	eachRun(to, func(tx *tracker.Tx, r tracker.Run) error {
		seed--
		a, err := tx.ReadAnnotation(r.ID)
		Equal(t, "seed", r.Spec.Seed, seed)
		Equal(t, "note", a.Note == note(r), true)
		return err
	})
}

// TestMergeOfMovedRecords merges a store that another process compacts between the transactions:
// what was looked up before is of another file.
func TestMergeOfMovedRecords(t *testing.T) {
	t.Parallel()
	from := newStoreOfManyRuns(t, filepath.Join(t.TempDir(), "many.db"), 2500, 2)
	OK(t, removeOldest(t, from, 300))
	to, compacted := NewEmptyStore(t, from), 0
	report, err := merge.Run(t.Context(), from, to, merge.Options{Progress: func(done, _ int) {
		if done > 500*(compacted+1) {
			compacted++
			_, err := backup.Compact(t.Context(), tracker.New(from.Path(), tracker.Options{}), nil)
			OK(t, err)
		}
	}})
	OK(t, err)
	Equal(t, "outcomes", outcomes(report), "2200 new")
	if compacted < 2 {
		t.Errorf("%d compactions", compacted)
	}
}

// removeOldest removes the oldest runs for good.
func removeOldest(t *testing.T, s *tracker.Store, n int) error {
	t.Helper()
	var ids []schema.Digest
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			OK(t, err)
			ids = append(ids, r.ID)
		}
		return nil
	}))
	_, err := gc.Remove(t.Context(), s, ids[len(ids)-n:])
	return err
}
