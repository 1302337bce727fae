package storetest

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/filelock"
	"github.com/podtrack/podtrack/tracker/rows"
)

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
