package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// lookUpRecords looks up the records of the next runs, as many runs as fit into a batch of that
// size, and returns their number. Sorted digests visit each page of the index once. Errors are left
// to whoever reads the run.
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
				t.lookedUp[name] = bytes.Clone(place) // keep the place, not its page
			}
		}
		return nil
	})
	return max(runs, 1)
}

// appendRecordNames appends the records of iterations that the target lacks, up to a length of
// most, as far as they are readable.
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
