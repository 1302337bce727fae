package merge_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestCopyOfPrunedRuns: an existing record wins over a pruned one, in either order. A new run
// brings its retention.
func TestCopyOfPrunedRuns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, _ := NewStore(t)
		id := Extend(t, a, 1, 3)
		Extend(t, a, 2, 2)
		b := NewEmptyStore(t, a)
		if rapid.Bool().Draw(rt, "shorter") {
			Extend(t, b, 1, 2)
		} else {
			Merge(t, a, b)
		}
		for _, s := range []*tracker.Store{a, b} {
			if rapid.Bool().Draw(rt, "pruned") {
				PruneTo(t, s, tracker.Retention{}, id)
			}
		}
		x, y := NewEmptyStore(t, a), NewEmptyStore(t, a)
		for _, s := range []*tracker.Store{a, b} {
			Merge(t, s, x)
		}
		for _, s := range []*tracker.Store{b, a} {
			Merge(t, s, y)
		}
		all := presentOf(t, a, id) | presentOf(t, b, id)
		Equal(t, "one way", presentOf(t, x, id), all)
		Equal(t, "other way", presentOf(t, y, id), all)
		before := ReadFile(t, x.Path())
		Equal(t, "comes again", Merge(t, y, x).Records, 0)
		Equal(t, "the file is as it was", string(before) == string(ReadFile(t, x.Path())), true)
	})
}

// presentOf returns a bit for each record that the run lists.
func presentOf(t testing.TB, s *tracker.Store, id schema.Digest) (bits uint64) {
	t.Helper()
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		i := 0
		for _, it := range its {
			for _, e := range it.Records {
				if tx.Rows().HasRecord(e.Name) {
					bits |= 1 << i
				}
				i++
			}
		}
		return err
	}))
	return bits
}

func TestCopySaysWhatCameBack(t *testing.T) {
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 3)
	other := NewEmptyStore(t, s)
	Merge(t, s, other)
	gone := PruneTo(t, s, tracker.Retention{}, id)
	c := Merge(t, other, s)
	Equal(t, "outcome", c.Runs[0].Outcome, merge.OutcomePresent)
	Equal(t, "restored", c.Runs[0].Restored, gone)
	Equal(t, "records", c.Records, gone)
	PruneTo(t, s, tracker.Retention{}, id)
	bundle := NewEmptyStore(t, s)
	Merge(t, s, bundle)
	OK(t, bundle.View(t.Context(), func(tx *tracker.Tx) error {
		k, err := tx.ReadRetention(id)
		Equal(t, "keeps", k != nil && len(k.Kinds) == 0, true)
		return err
	}))
}

// TestCopyOfForgedTombstones: a bundle cannot lack records that are never pruned.
func TestCopyOfForgedTombstones(t *testing.T) {
	s, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	r, st := Acquire(t, w, 1, 1)
	Chain(t, r, 0, st.Run.ID, schema.KindMeasures, []byte("measures"))
	OK(t, w.Close(t.Context()))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.Rows().PutTombstone(schema.Name([]byte("measures")))
		return err
	}))
	to := NewEmptyStore(t, s)
	c := Merge(t, s, to)
	Equal(t, "outcome", outcomes(c), "1 refused")
	if !strings.Contains(c.Runs[0].Reason, "pruned, but records of its kind never are") {
		t.Errorf("refused: %s", c.Runs[0].Reason)
	}
}
