package merge

import (
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// apply writes the segment, referents before references. A checkpoint belongs to the first iteration that the
// target lacks, so it is removed when that iteration is written. A stale lease is removed too, so that its
// owner notices if it continues.
func (s *segment) apply(tx *tracker.Tx, b *batch) error {
	id := s.reader.run.ID
	if s.isNew {
		if _, err := tx.InsertRun(s.reader.run, s.merged.Annotation); err != nil {
			return err
		}
		if k := s.reader.metadata.keep; k != nil {
			if err := tx.SetRetention(id, *k); err != nil {
				return err
			}
		}
	}
	if s.leaseStale {
		if err := tx.Rows().Remove(rows.BucketLeases, id[:]); err != nil {
			return err
		}
	}
	if err := s.putRecords(tx, b); err != nil {
		return err
	}
	if err := s.putIterations(tx); err != nil {
		return err
	}
	return putMetadata(tx, id, s.merged)
}

// putRecords writes the records that the target lacks, and those that are damaged there.
func (s *segment) putRecords(tx *tracker.Tx, b *batch) error {
	late := s.done > s.end() // another process has written these iterations already
	for _, l := range s.records {
		r := b.records[l.i]
		place := tx.Rows().PlaceOf(r.Entry.Name)
		wasPruned := rows.IsTombstone(place)
		if l.k < len(s.reader.ourLinks) && s.reader.ourBroken[r.Entry.Name] && !wasPruned {
			healed, err := tx.RestoreStored(r.Entry.Name, r.Stored)
			if err != nil {
				return err
			}
			if healed {
				s.healed++
			}
			continue
		}
		if !wasPruned && (place != nil || late) {
			continue
		}
		if err := tx.Rows().AppendRecord(r.Entry.Name, r.Stored); err != nil {
			return err
		}
		s.added++
		s.addedBytes += int64(len(r.Stored))
		if wasPruned {
			s.restored++
		}
	}
	for _, name := range s.pruned {
		if late || tx.Rows().PlaceOf(name) != nil {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *segment) putIterations(tx *tracker.Tx) error {
	id := s.reader.run.ID
	for _, f := range s.newIterations() {
		if err := tx.Rows().PutIteration(id, f.k, f.it); err != nil {
			return err
		}
		if err := rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, f.k), f.cost); err != nil {
			return err
		}
	}
	if len(s.newIterations()) == 0 {
		return nil
	}
	return tx.Rows().Remove(rows.BucketCheckpoints, id[:])
}

// checkUnchanged verifies that the run has not changed since the segment was read, that no process works on it,
// and that every record that its rows name will exist.
func (s *segment) checkUnchanged(tx *tracker.Tx) (err error) {
	id := s.reader.run.ID
	s.isNew = !tx.Rows().HasRun(id)
	if s.done, _, err = tx.ReadHead(id); err != nil {
		return refusedHereError(err)
	}
	if s.done < s.first {
		return changedError(id)
	}
	if err := s.checkLease(tx, id); err != nil {
		return err
	}
	if err := s.checkLinks(tx, id); err != nil {
		return err
	}
	if len(s.newIterations()) == len(s.iterations) {
		for _, name := range s.delivered {
			if tx.Rows().PlaceOf(name) == nil {
				return changedError(id)
			}
		}
	}
	s.merged, err = mergeMetadata(tx, id, s.reader.metadata, s.reader.done > s.done)
	return refusedHereError(err)
}
