package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/rows"
)

// SealAllKinds seals iteration k with a record of each prunable kind, and its measures. Their texts
// begin with the kind.
func SealAllKinds(t testing.TB, r *groupcommit.RunWriter, k int, text string) (entries []schema.Entry) {
	t.Helper()
	for _, kind := range []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption,
		schema.KindMeasures} {
		name, err := r.Put(fmt.Appendf(nil, "%s %s", kind, text))
		OK(t, err)
		entries = append(entries, schema.Entry{Kind: kind, Name: name})
	}
	OK(t, r.SealIteration(k, schema.Iteration{Link: LinkOf(r.ID(), k), Records: entries}, tracker.Cost{}))
	return entries
}

// NewStoreWithCompleteRun makes a store with a complete run of n iterations.
func NewStoreWithCompleteRun(t testing.TB, n int) (*tracker.Store, *Clock, schema.Digest) {
	t.Helper()
	s, c := NewStore(t)
	w := groupcommit.Start(t.Context(), s)
	r, _ := Acquire(t, w, 1, n)
	for k := range n {
		SealAllKinds(t, r, k, fmt.Sprint(k))
	}
	OK(t, w.Close(t.Context()))
	return s, c, r.ID()
}

// DrawRecords draws the run: a word for each iteration, with a letter for each existing record and
// a dot for each pruned one.
func DrawRecords(t testing.TB, s *tracker.Store, id schema.Digest) string {
	t.Helper()
	var words []string
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		OK(t, err)
		for _, it := range its {
			word := ""
			for _, e := range it.Records {
				record, err := tx.ReadRecord(e.Name)
				switch {
				case err == nil && strings.HasPrefix(string(record), string(e.Kind)):
					word += string(e.Kind[0])
				case errors.Is(err, tracker.ErrPruned) && !errors.Is(err, tracker.ErrDamaged) &&
					!errors.Is(err, tracker.ErrMissing) && tx.IsPruned(e.Name):
					word += "."
				default:
					t.Errorf("record %q: %v", record, err)
				}
			}
			words = append(words, word)
		}
		return nil
	}))
	return strings.Join(words, " ")
}

// LinkOf returns a link for an iteration of a run in which links prove nothing.
func LinkOf(id schema.Digest, k int) schema.Digest { return schema.Name(rows.PartKey(id, k)) }

// SkipUnlessReplaceable skips the test where a store's file cannot be replaced.
func SkipUnlessReplaceable(t testing.TB) {
	t.Helper()
	if !filelock.TakesLock {
		t.Skip("compaction needs a lock that tells who waits that the file was replaced")
	}
}
