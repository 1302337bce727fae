package repair

import (
	"fmt"
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
		eachRun := func(tx *tracker.Tx) error {
			for _, key := range tx.Rows().Keys(rows.BucketRuns, nil) {
				if err := s.dropGap(tx, schema.Digest(key)); err != nil {
					return err
				}
				if err := s.fillMissingRows(tx, schema.Digest(key)); err != nil {
					return err
				}
			}
			return nil
		}
		for _, step := range []func(*tracker.Tx) error{
			s.dropOrphans, eachRun, s.numberRuns, s.rebuildNames, s.putTombstones,
		} {
			if err := step(tx); err != nil {
				return err
			}
		}
		s.dropFalseLosses(tx)
		return nil
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
	rebuilt := []string{rows.BucketOrder, rows.BucketNames, rows.BucketLeases}
	s.report.Rows = slices.DeleteFunc(s.report.Rows, func(lost LostRow) bool {
		if slices.Contains(rebuilt, lost.Bucket) {
			return true
		}
		b := tx.Rows().Bucket(lost.Bucket)
		return b != nil && lost.key != nil && lost.Bucket != rows.BucketAnnotations && b.Get(lost.key) != nil
	})
}

// maxRemoved is the largest plausible number of removed runs after the newest run: a larger sequence of run
// numbers is taken for damage.
const maxRemoved = 1 << 24

// numberRuns rebuilds the order of runs. A run whose number is not unique gets a new one.
func (s *salvager) numberRuns(tx *tracker.Tx) error {
	last := uint64(0)
	if err := clearBucket(tx, rows.BucketOrder); err != nil {
		return err
	}
	for _, key := range tx.Rows().Keys(rows.BucketRuns, nil) {
		r, err := tx.ReadRun(schema.Digest(key))
		if err != nil {
			return err
		}
		for tx.Rows().Bucket(rows.BucketOrder).Get(rows.NumberKey(r.Number)) != nil {
			r.Number++
		}
		if err := tx.PutRun(r); err != nil {
			return err
		}
		if err := tx.Rows().PutRef(rows.BucketOrder, rows.NumberKey(r.Number), schema.Digest(key)); err != nil {
			return err
		}
		s.runs, last = s.runs+1, max(last, r.Number)
	}
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

func clearBucket(tx *tracker.Tx, name string) error {
	for _, key := range tx.Rows().Keys(name, nil) {
		if err := tx.Rows().Remove(name, key); err != nil {
			return err
		}
	}
	return nil
}

// rebuildNames rebuilds the index of names from the annotations.
func (s *salvager) rebuildNames(tx *tracker.Tx) error {
	if err := clearBucket(tx, rows.BucketNames); err != nil {
		return err
	}
	for _, key := range tx.Rows().Keys(rows.BucketRuns, nil) {
		a, err := tx.ReadAnnotation(schema.Digest(key))
		if err != nil {
			return err
		}
		if a.Name == "" {
			continue
		}
		if tx.Rows().Bucket(rows.BucketNames).Get([]byte(a.Name)) != nil {
			a.Name = ""
			if err := tx.PutAnnotation(schema.Digest(key), a); err != nil {
				return err
			}
			continue
		}
		if err := tx.Rows().PutRef(rows.BucketNames, []byte(a.Name), schema.Digest(key)); err != nil {
			return err
		}
	}
	return nil
}

// putTombstones writes tombstones for pruned records that were not found.
func (s *salvager) putTombstones(tx *tracker.Tx) error {
	for name := range s.tombstones {
		if _, named := s.referenced[name]; !named || tx.HasRecord(name) {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}
