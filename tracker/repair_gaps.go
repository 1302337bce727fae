package tracker

import (
	"github.com/podtrack/podtrack/schema"
)

// dropGaps removes of each run the iterations after the first missing one.
func (s *salvager) dropGaps(tx *Tx) error {
	for _, key := range tx.copyKeys(bucketRuns, nil) {
		gap, err := tx.findGap(schema.Digest(key))
		if err != nil {
			return err
		}
		if gap == nil {
			continue
		}
		s.report.Gaps = append(s.report.Gaps, *gap)
		for k := range gap.Links {
			if err := tx.removeRow(bucketIterations, partKey(gap.Run, k)); err != nil {
				return err
			}
		}
		if err := tx.removeRow(bucketCheckpoints, key); err != nil {
			return err
		}
	}
	return nil
}

// findGap returns the first missing iteration of the run, or nil if none is known to be missing.
// The rows of other iterations and of costs tell how many there were. It counts at most as many as
// there are rows, so that no row can cause unbounded work.
func (t *Tx) findGap(id schema.Digest) (*Gap, error) {
	next := 0
	g := &Gap{Run: id, Links: map[int]schema.Digest{}, rows: map[int]schema.Iteration{}}
	for _, key := range t.copyKeys(bucketIterations, id[:]) {
		k, ok := partNumber(key)
		if !ok {
			continue
		}
		if k == next {
			next++
			continue
		}
		it, err := t.ReadIteration(id, k)
		if err != nil {
			return nil, err
		}
		g.Links[k], g.rows[k] = it.Link, it
	}
	g.K, g.Made = next, max(t.countCosts(id), next)
	if len(g.Links) > 0 {
		g.Made = max(g.Made, next+1+len(g.Links))
	}
	if g.Made == next {
		return nil, nil
	}
	return g, nil
}

// RestoreIterations writes the rows after a gap again, for a gap that could not be filled.
func (t *Tx) RestoreIterations(g Gap) error {
	for k, it := range g.rows {
		if err := t.putIteration(g.Run, k, it); err != nil {
			return err
		}
	}
	return nil
}

// countCosts returns how many consecutive iterations from the first on have a cost row.
func (t *Tx) countCosts(id schema.Digest) int {
	n := 0
	for t.buckets[bucketCosts].Get(partKey(id, n)) != nil {
		n++
	}
	return n
}
