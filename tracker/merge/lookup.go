package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// lookUpRecords looks up the records of the next runs, as many runs as fit into a batch of that
// size, and returns their number. Errors are left to whoever reads the run.
func (c *copier) lookUpRecords(t *tracker.Tx, group []*runReader, size int64) (runs int) {
	most := int(size / tracker.RowCost)
	var names []schema.Digest
	_ = c.from.RecoverDamage(func() error {
		for runs < len(group) && len(names) < most {
			names = group[runs].appendRecordNames(t, names, most)
			runs++
		}
		t.Rows().LookUp(names)
		return nil
	})
	return max(runs, 1)
}

// appendRecordNames appends the records of iterations that the target lacks, up to a length of
// most, as far as they are readable.
func (w *runReader) appendRecordNames(t *tracker.Tx, names []schema.Digest, most int) []schema.Digest {
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
