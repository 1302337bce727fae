package tracker

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// reconcile makes the rows of the new store consistent: it removes rows that refer to missing runs,
// and rebuilds those that can be derived.
func (s *salvager) reconcile() error {
	return s.update(func(tx *Tx) error {
		for _, step := range []func(*Tx) error{
			s.dropOrphans, s.dropGaps, s.dropEvaluations, s.fillMissingRows,
			s.numberRuns, s.rebuildNames, s.putTombstones, s.dropFalseLosses,
		} {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropOrphans removes the rows of runs whose own row, and so their spec, is lost.
func (s *salvager) dropOrphans(tx *Tx) error {
	reported := map[schema.Digest]bool{}
	for _, bucket := range runBuckets {
		if tx.buckets[bucket] == nil {
			continue
		}
		for _, key := range tx.copyKeys(bucket, nil) {
			if len(key) < len(schema.Digest{}) {
				continue
			}
			id := schema.Digest(key[:len(schema.Digest{})])
			if tx.hasRun(id) {
				continue
			}
			if s.knownRuns[id] && !reported[id] { // otherwise the run was removed earlier
				reported[id] = true
				done, _, _ := tx.ReadHead(id)
				s.report.Rows = append(s.report.Rows, LostRow{Bucket: bucketRuns, Run: &id,
					What: fmt.Sprintf("the spec of run %.12s is lost, and with it %d iterations; running the spec "+
						"again recreates the run", id, done)})
			}
			if err := tx.removeRow(bucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillMissingRows gives every run an annotation, and each of its iterations a cost, and removes
// costs and proof levels of missing iterations.
func (s *salvager) fillMissingRows(tx *Tx) error {
	for _, key := range tx.copyKeys(bucketRuns, nil) {
		id := schema.Digest(key)
		done, _, err := tx.ReadHead(id)
		if err != nil {
			return err
		}
		for _, cost := range tx.copyKeys(bucketCosts, key) {
			if k, ok := partNumber(cost); !ok || k >= done {
				if err := tx.removeRow(bucketCosts, cost); err != nil {
					return err
				}
			}
		}
		for _, proof := range tx.copyKeys(bucketProofs, key) {
			if k, ok := partNumber(proof); !ok || k >= done {
				if err := tx.removeRow(bucketProofs, proof); err != nil {
					return err
				}
			}
		}
		for k := range done {
			if tx.buckets[bucketCosts].Get(partKey(id, k)) != nil {
				continue
			}
			if err := writeRow(tx, bucketCosts, partKey(id, k), Cost{Stages: map[string]int64{}}); err != nil {
				return err
			}
		}
		if tx.buckets[bucketAnnotations].Get(key) != nil {
			continue
		}
		s.addLost(bucketAnnotations, key, damagedError("name, note and target of run %.12s", id))
		if err := tx.writeAnnotation(id, Annotation{Created: s.to.now().UnixNano(), Target: done}); err != nil {
			return err
		}
	}
	return nil
}

// dropFalseLosses removes rows from the list of lost ones that were found or rebuilt after all.
func (s *salvager) dropFalseLosses(tx *Tx) error {
	made := s.report.Rows
	s.report.Rows = []LostRow{}
	for _, lost := range made {
		derived := lost.Bucket == bucketOrder || lost.Bucket == bucketNames || lost.Bucket == bucketLeases
		there := false
		if b := tx.buckets[lost.Bucket]; b != nil && lost.key != nil && lost.Bucket != bucketAnnotations {
			there = b.Get(lost.key) != nil
		}
		if !derived && !there {
			s.report.Rows = append(s.report.Rows, lost)
		}
	}
	return nil
}

// maxRemoved is how far the file's sequence of run numbers may be ahead of the newest run to be
// believed.
const maxRemoved = 1 << 24

// numberRuns rebuilds the order of runs, and gives a new number to a run whose number is taken.
func (s *salvager) numberRuns(tx *Tx) error {
	last := uint64(0)
	for _, key := range tx.copyKeys(bucketOrder, nil) {
		if err := tx.removeRow(bucketOrder, key); err != nil {
			return err
		}
	}
	for _, key := range tx.copyKeys(bucketRuns, nil) {
		row, _, err := readRow[runRow](tx, bucketRuns, key)
		if err != nil {
			return err
		}
		for tx.buckets[bucketOrder].Get(numberKey(row.Number)) != nil {
			row.Number++ // until no other run has it
		}
		s.runs, last = s.runs+1, max(last, row.Number)
		if err := writeRow(tx, bucketRuns, key, row); err != nil {
			return err
		}
		if err := writeRow(tx, bucketOrder, numberKey(row.Number), runRef{Run: schema.Digest(key)}); err != nil {
			return err
		}
	}
	if s.orderSequence > last && s.orderSequence-last < maxRemoved {
		last = s.orderSequence
	}
	if err := tx.btx.Bucket([]byte(bucketOrder)).SetSequence(last); err != nil {
		return fmt.Errorf("number runs: %w", err)
	}
	return nil
}

// rebuildNames rebuilds the index of names from the annotations.
func (s *salvager) rebuildNames(tx *Tx) error {
	for _, key := range tx.copyKeys(bucketNames, nil) {
		if err := tx.removeRow(bucketNames, key); err != nil {
			return err
		}
	}
	for _, key := range tx.copyKeys(bucketRuns, nil) {
		a, err := tx.ReadAnnotation(schema.Digest(key))
		if err != nil {
			return err
		}
		if a.Name == "" {
			continue
		}
		if tx.buckets[bucketNames].Get([]byte(a.Name)) != nil {
			a.Name = ""
			if err := tx.writeAnnotation(schema.Digest(key), a); err != nil {
				return err
			}
			continue
		}
		if err := writeRow(tx, bucketNames, []byte(a.Name), runRef{Run: schema.Digest(key)}); err != nil {
			return err
		}
	}
	return nil
}

// putTombstones writes tombstones for pruned records that did not come back.
func (s *salvager) putTombstones(tx *Tx) error {
	for name := range s.tombstones {
		if _, named := s.referenced[name]; !named || tx.HasRecord(name) {
			continue
		}
		if _, err := tx.putTombstone(name); err != nil {
			return err
		}
	}
	return nil
}
