package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// lookahead is how many records are looked up at once.
const lookahead = 1 << 14

// lookUp finds the places of the records that the next runs list, and says of how
// many runs. Digests come in no order: sought in theirs, they lead through each page
// of the index once, however many pages it has. What cannot be read is left to
// whoever reads that run.
func (t *Tx) lookUp(group []*reader) (runs int) {
	var names []schema.Digest
	t.places = map[schema.Digest][]byte{}
	_ = t.store.guard(func() error {
		for runs < len(group) && len(names) < lookahead {
			names = group[runs].appendNames(t, names)
			runs++
		}
		slices.SortFunc(names, func(a, b schema.Digest) int { return bytes.Compare(a[:], b[:]) })
		for _, name := range names {
			if place := t.buckets[bucketDigests].Get(name[:]); place != nil {
				t.places[name] = place
			}
		}
		return nil
	})
	return max(runs, 1)
}

// appendNames adds the records of iterations that are not here, as far as they can
// be read and are looked up at once.
func (w *reader) appendNames(t *Tx, names []schema.Digest) []schema.Digest {
	for k := max(w.k, len(w.here)); w.err == nil && k < w.done && len(names) < lookahead; k++ {
		it, err := t.Iteration(w.run.ID, k)
		if err != nil {
			return names
		}
		for _, e := range it.Records {
			names = append(names, e.Name)
		}
	}
	return names
}
