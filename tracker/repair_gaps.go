package tracker

import (
	"github.com/podtrack/podtrack/schema"
)

// dropGaps leaves of each run the iterations before the first that is gone.
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

// findGap is the first iteration of the run that is gone, nil where none is known to
// be. The rows of the others say how many there were, and the notes of what they
// took: as many as there are rows, so that no row makes work of its own.
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

// RestoreIterations gives a run the rows after a gap again, where nobody could fill it.
func (t *Tx) RestoreIterations(g Gap) error {
	for k, it := range g.rows {
		if err := t.putIteration(g.Run, k, it); err != nil {
			return err
		}
	}
	return nil
}

// countCosts is how many iterations the run once had, by the notes of what they took,
// without a break from the first.
func (t *Tx) countCosts(id schema.Digest) int {
	n := 0
	for t.buckets[bucketCosts].Get(partKey(id, n)) != nil {
		n++
	}
	return n
}
