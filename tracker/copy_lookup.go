package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// lookUpRecords finds the places of the records that the next runs list, of as many runs as fit
// into a batch of that size, and says how many those are. Digests come in no order: sought in theirs, they lead through each page
// of the index once, however many pages it has. What cannot be read is left to
// whoever reads that run.
func (t *Tx) lookUpRecords(group []*runReader, size int64) (runs int) {
	most := int(size / rowCost)
	var names []schema.Digest
	t.lookedUp = map[schema.Digest][]byte{}
	_ = t.store.recoverDamage(func() error {
		for runs < len(group) && len(names) < most {
			names = group[runs].appendRecordNames(t, names, most)
			runs++
		}
		slices.SortFunc(names, func(a, b schema.Digest) int { return bytes.Compare(a[:], b[:]) })
		for _, name := range names {
			if place := t.buckets[bucketDigests].Get(name[:]); place != nil {
				t.lookedUp[name] = bytes.Clone(place) // not the page
			}
		}
		return nil
	})
	return max(runs, 1)
}

// appendRecordNames adds the records of iterations that are not here, as far as they can
// be read, until there are as many as that.
func (w *runReader) appendRecordNames(t *Tx, names []schema.Digest, most int) []schema.Digest {
	for k := max(w.k, len(w.ourLinks)); w.err == nil && k < w.done && len(names) < most; k++ {
		it, err := t.ReadIteration(w.run.ID, k)
		if err != nil {
			return names
		}
		for _, e := range it.Records {
			names = append(names, e.Name)
		}
	}
	return names
}
