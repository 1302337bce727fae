package repair

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// reconcile makes the rows of the new store consistent: it removes rows that refer to missing runs,
// and rebuilds those that can be derived.
func (s *salvager) reconcile() error {
	return s.to.Update(s.ctx, func(tx *tracker.Tx) error {
		err := s.dropOrphans(tx)
		for _, key := range tx.Rows().Keys(rows.BucketRuns, nil) {
			for _, step := range []func(*tracker.Tx, schema.Digest) error{
				s.dropGap, s.fillMissingRows, s.numberRun, indexName,
			} {
				if err == nil {
					err = step(tx, schema.Digest(key))
				}
			}
			s.runs++
		}
		if err == nil {
			err = s.setOrderSequence(tx)
		}
		if err == nil {
			err = s.putTombstones(tx)
		}
		s.dropFalseLosses(tx)
		return err
	})
}

// dropOrphans removes the rows of runs whose own row, which has the spec, is lost.
func (s *salvager) dropOrphans(tx *tracker.Tx) error {
	reported := map[schema.Digest]bool{}
	for _, bucket := range rows.RunBuckets {
		for _, key := range tx.Rows().Keys(bucket, nil) {
			if len(key) < len(schema.Digest{}) {
				continue
			}
			id := schema.Digest(key[:len(schema.Digest{})])
			if tx.Rows().HasRun(id) {
				continue
			}
			if s.isOfKnownRun(bucket, key) && !reported[id] { // otherwise the run was removed earlier
				reported[id] = true
				done, _, _ := tx.ReadHead(id)
				s.report.Rows = append(s.report.Rows, LostRow{Bucket: rows.BucketRuns, Run: &id,
					What: fmt.Sprintf("the spec of run %.12s is lost, and its %d iterations with it; running the spec "+
						"again recreates the run", id, done)})
			}
			if err := tx.Rows().Remove(bucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillMissingRows gives a run an annotation and each of its iterations a cost, and removes costs of missing iterations.
func (s *salvager) fillMissingRows(tx *tracker.Tx, id schema.Digest) error {
	done, _, err := tx.ReadHead(id)
	if err != nil {
		return err
	}
	for _, key := range tx.Rows().Keys(rows.BucketCosts, id[:]) {
		if k, ok := rows.PartNumber(key); ok && k < done {
			continue
		}
		if err := tx.Rows().Remove(rows.BucketCosts, key); err != nil {
			return err
		}
	}
	for k := range done {
		if tx.Rows().Bucket(rows.BucketCosts).Get(rows.PartKey(id, k)) != nil {
			continue
		}
		unknown := tracker.Cost{Stages: map[string]int64{}}
		if err := rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, k), unknown); err != nil {
			return err
		}
	}
	if tx.Rows().Bucket(rows.BucketAnnotations).Get(id[:]) != nil {
		return nil
	}
	s.addLost(rows.BucketAnnotations, id[:], storeerr.Damaged("name, note and target of run %.12s", id))
	return tx.PutAnnotation(id, tracker.Annotation{Created: s.to.Now().UnixNano(), Target: done})
}

// dropFalseLosses removes rows that were found or rebuilt from the list of lost ones.
func (s *salvager) dropFalseLosses(tx *tracker.Tx) {
	s.report.Rows = slices.DeleteFunc(s.report.Rows, func(lost LostRow) bool {
		if lost.Bucket == rows.BucketLeases {
			return true // nothing works on the runs of a new store
		}
		b := tx.Rows().Bucket(lost.Bucket)
		return b != nil && lost.key != nil && lost.Bucket != rows.BucketAnnotations && b.Get(lost.key) != nil
	})
}

// numberRun gives a run its place in the order of runs. A run whose number is not unique gets a new one.
func (s *salvager) numberRun(tx *tracker.Tx, id schema.Digest) error {
	r, err := tx.ReadRun(id)
	if err != nil {
		return err
	}
	for tx.Rows().Bucket(rows.BucketOrder).Get(rows.NumberKey(r.Number)) != nil {
		r.Number++
	}
	s.lastNumber = max(s.lastNumber, r.Number)
	return errors.Join(tx.PutRun(r), tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(r.Number), id))
}

// maxRemoved is the largest plausible number of removed runs after the newest run: a larger sequence of run
// numbers is taken for damage.
const maxRemoved = 1 << 24

// setOrderSequence lets new runs be numbered after all that the damaged file had.
func (s *salvager) setOrderSequence(tx *tracker.Tx) error {
	last := s.lastNumber
	if isBelievable(s.orderSequence, last) {
		last = s.orderSequence
	}
	if err := tx.Rows().Bolt.Bucket([]byte(rows.BucketOrder)).SetSequence(last); err != nil {
		return fmt.Errorf("number runs: %w", err)
	}
	return nil
}

// isBelievable reports whether the sequence of run numbers in a damaged file is plausible if the newest run has
// the number last.
func isBelievable(sequence, last uint64) bool { return sequence > last && sequence-last < maxRemoved }

// indexName adds the name of a run to the index of names, unless an earlier run has it: then the run loses its name.
func indexName(tx *tracker.Tx, id schema.Digest) error {
	a, err := tx.ReadAnnotation(id)
	if err == nil {
		err = tx.SetName(id, a.Name)
	}
	if errors.Is(err, tracker.ErrTaken) {
		err = tx.UpdateAnnotation(id, func(a *tracker.Annotation) { a.Name = "" })
	}
	return err
}

// putTombstones writes tombstones for pruned records that were not found.
func (s *salvager) putTombstones(tx *tracker.Tx) error {
	for name := range s.tombstones {
		if _, named := s.referenced[name]; !named || tx.Rows().HasRecord(name) {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}

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
