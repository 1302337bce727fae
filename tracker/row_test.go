package tracker

import (
	"context"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// TestRowLimits: what can be written can be read; larger rows are refused.
func TestRowLimits(t *testing.T) {
	s, _, _ := newStoreWithRun(t, "a record")
	id := runID(t, 1)
	ctx := context.Background()
	ok(t, s.Update(ctx, func(tx *Tx) error {
		ok(t, tx.SetNote(id, strings.Repeat("n", maxNote)))
		ok(t, tx.SetFailure(id, strings.Repeat("€", maxNote)))
		wantErr(t, tx.SetNote(id, strings.Repeat("n", maxNote+1)), ErrInvalid)
		wantErr(t, tx.rows.Put(rows.BucketRuns, id[:], make([]byte, rows.MaxRow)), ErrInvalid)
		return nil
	}))
	ok(t, s.View(ctx, func(tx *Tx) error {
		a, err := tx.ReadAnnotation(id)
		ok(t, err)
		equal(t, "bytes of the note", len(a.Note), maxNote)
		equal(t, "bytes of the failure", len(a.Failure) > maxFailure/2 && len(a.Failure) <= maxFailure, true)
		_, err = tx.ReadRun(id)
		return err
	}))
}
