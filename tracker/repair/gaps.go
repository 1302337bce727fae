package repair

import (
	"bytes"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// dropGap removes the iterations of a run after its first missing one.
func (s *salvager) dropGap(tx *tracker.Tx, id schema.Digest) error {
	gap, err := findGap(tx, id)
	if gap == nil || err != nil {
		return err
	}
	checkpoint, err := tx.Rows().Get(rows.BucketCheckpoints, id[:])
	if err != nil {
		return err
	}
	gap.checkpoint = bytes.Clone(checkpoint)
	s.report.Gaps = append(s.report.Gaps, *gap)
	for k := range gap.Known {
		if err := tx.Rows().Remove(rows.BucketIterations, rows.PartKey(id, k)); err != nil {
			return err
		}
	}
	return tx.Rows().Remove(rows.BucketCheckpoints, id[:])
}

// findGap returns the first missing iteration of the run, or nil if none is known to be missing. The number of
// iterations follows from the rows of later iterations and of costs. It is bounded by the number of these rows,
// so that no forged row can cause unbounded work.
func findGap(tx *tracker.Tx, id schema.Digest) (*Gap, error) {
	next := 0
	g := &Gap{Run: id, Known: map[int]schema.Iteration{}}
	for _, key := range tx.Rows().Keys(rows.BucketIterations, id[:]) {
		k, ok := rows.PartNumber(key)
		if !ok {
			continue
		}
		if k == next {
			next++
			continue
		}
		var err error
		if g.Known[k], err = tx.ReadIteration(id, k); err != nil {
			return nil, err
		}
	}
	g.K, g.Made = next, next
	known := slices.Collect(maps.Keys(g.Known))
	for _, key := range tx.Rows().Keys(rows.BucketCosts, id[:]) {
		if k, ok := rows.PartNumber(key); ok {
			known = append(known, k)
		}
	}
	for _, k := range known {
		g.Made = max(g.Made, min(k+1, next+1+len(known)))
	}
	if g.Made == next {
		return nil, nil
	}
	return g, nil
}

// RestoreIterations writes the rows after a gap and the checkpoint again, if the gap could not be filled.
func RestoreIterations(tx *tracker.Tx, g Gap) error {
	for k, it := range g.Known {
		if err := tx.Rows().PutIteration(g.Run, k, it); err != nil {
			return err
		}
	}
	if _, whole := g.Known[g.Made-1]; !whole || g.checkpoint == nil {
		return nil // a checkpoint continues from the last iteration
	}
	return tx.Rows().Put(rows.BucketCheckpoints, g.Run[:], g.checkpoint)
}
