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

// A Victim is the store that a forger changes: a run of three iterations beside another one.
type Victim struct {
	Tx  *tracker.Tx
	ID  schema.Digest
	Its []schema.Iteration
}

// Relink forges the run's iterations from k on with matching links.
func (v Victim) Relink(t *testing.T, k int) {
	t.Helper()
	link := v.ID
	if k > 0 {
		link = v.Its[k-1].Link
	}
	for ; k < len(v.Its); k++ {
		var err error
		link, err = schema.Link(k, link, v.Its[k].Records)
		OK(t, err)
		v.Its[k].Link = link
		OK(t, v.Tx.Rows().PutIteration(v.ID, k, v.Its[k]))
	}
}

// Replace stores other bytes as the i-th record of iteration k.
func (v Victim) Replace(t *testing.T, k, i int, stored []byte) {
	t.Helper()
	name := v.Its[k].Records[i].Name
	OK(t, v.Tx.Rows().PutStored(v.Tx.Rows().PlaceOf(name), stored))
}

// RunRow is a row of bucket runs, to be forged.
type RunRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors []tracker.Ancestor `cbor:"ancestors"`
}
