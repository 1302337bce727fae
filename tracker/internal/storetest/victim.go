package storetest

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

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

// Annotate changes the annotation.
func (v Victim) Annotate(t *testing.T, change func(*tracker.Annotation)) {
	t.Helper()
	a, err := v.Tx.ReadAnnotation(v.ID)
	OK(t, err)
	change(&a)
	OK(t, rows.Write(v.Tx.Rows(), rows.BucketAnnotations, v.ID[:], a))
}

// NewForgedStore makes a store with two runs, the first of which is tampered with.
func NewForgedStore(t *testing.T, forge func(*testing.T, Victim)) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 3)
	Extend(t, s, 2, 2) // of another parity: it shares one record with all
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		OK(t, err)
		forge(t, Victim{tx, id, its})
		return nil
	}))
	return s, id
}

// RunRow is a row of bucket runs, to be forged.
type RunRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors []tracker.Ancestor `cbor:"ancestors"`
}
