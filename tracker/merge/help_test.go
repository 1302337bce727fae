package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

// annotate changes the annotation.
func annotate(t *testing.T, v victim, change func(*tracker.Annotation)) {
	t.Helper()
	a, err := v.tx.ReadAnnotation(v.id)
	OK(t, err)
	change(&a)
	OK(t, rows.Write(v.tx.Rows(), rows.BucketAnnotations, v.id[:], a))
}

// newForgedStore makes a store with two runs, the first of which is tampered with.
func newForgedStore(t *testing.T, forge func(*testing.T, victim)) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 3)
	Extend(t, s, 2, 2) // of another parity: it shares one record with all
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		OK(t, err)
		forge(t, victim{tx: tx, id: id, its: its})
		return nil
	}))
	return s, id
}

// outcomes returns the number of runs with each outcome of a merge, such as "1 new, 2 present".
func outcomes(c merge.Report) string {
	count := map[merge.Outcome]int{}
	for _, r := range c.Runs {
		count[r.Outcome]++
	}
	var words []string
	for o, n := range count {
		words = append(words, fmt.Sprintf("%d %s", n, o))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// A victim is the store that a forger changes: a run of three iterations beside another one.
type victim struct {
	tx  *tracker.Tx
	id  schema.Digest
	its []schema.Iteration
}

// relink forges the run's iterations from k on with matching links.
func (v victim) relink(t *testing.T, k int) {
	t.Helper()
	link := v.id
	if k > 0 {
		link = v.its[k-1].Link
	}
	for ; k < len(v.its); k++ {
		var err error
		link, err = schema.Link(k, link, v.its[k].Records)
		OK(t, err)
		v.its[k].Link = link
		OK(t, v.tx.Rows().PutIteration(v.id, k, v.its[k]))
	}
}

// replace stores other bytes as the i-th record of iteration k.
func (v victim) replace(t *testing.T, k, i int, stored []byte) {
	t.Helper()
	name := v.its[k].Records[i].Name
	OK(t, v.tx.Rows().PutStored(v.tx.Rows().PlaceOf(name), stored))
}

// runRow is a row of bucket runs, to be forged.
type runRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors []tracker.Ancestor `cbor:"ancestors"`
}
