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
func annotate(t *testing.T, v Victim, change func(*tracker.Annotation)) {
	t.Helper()
	a, err := v.Tx.ReadAnnotation(v.ID)
	OK(t, err)
	change(&a)
	OK(t, rows.Write(v.Tx.Rows(), rows.BucketAnnotations, v.ID[:], a))
}

// newForgedStore makes a store with two runs, the first of which is tampered with.
func newForgedStore(t *testing.T, forge func(*testing.T, Victim)) (*tracker.Store, schema.Digest) {
	t.Helper()
	s, _ := NewStore(t)
	id := Extend(t, s, 1, 3)
	Extend(t, s, 2, 2) // of another parity: it shares one record with all
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		its, err := tx.ReadIterations(id)
		OK(t, err)
		forge(t, Victim{Tx: tx, ID: id, Its: its})
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
