package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// apply writes the segment, referents before references. A checkpoint belongs to the first
// iteration that the target lacks, so it is removed when that is written. A stale lease is removed
// too, so that its owner notices should it continue.
func (p *segment) apply(tx *tracker.Tx, s *batch) error {
	id := p.reader.run.ID
	if p.isNew {
		if _, err := tx.InsertRun(p.reader.run, p.merged.Annotation); err != nil {
			return err
		}
		if k := p.reader.metadata.keep; k != nil {
			if err := tx.SetRetention(id, *k); err != nil {
				return err
			}
		}
	}
	if p.leaseStale {
		if err := tx.Rows().Remove(rows.BucketLeases, id[:]); err != nil {
			return err
		}
	}
	if err := p.putRecords(tx, s); err != nil {
		return err
	}
	if err := p.putIterations(tx); err != nil {
		return err
	}
	for _, e := range p.evaluations {
		if err := tx.PutEvaluationRow(e); err != nil {
			return err
		}
	}
	return putMetadata(tx, id, p.merged)
}

// putRecords writes the records that the target lacks, and those that are damaged there.
func (p *segment) putRecords(tx *tracker.Tx, s *batch) error {
	late := p.done > p.end() // another process has written these iterations already
	for _, l := range p.records {
		r := s.records[l.i]
		place := tx.Rows().PlaceOf(r.Entry.Name)
		wasPruned := rows.IsTombstone(place)
		if l.k < len(p.reader.ourLinks) && p.reader.ourBroken[r.Entry.Name] && !wasPruned {
			healed, err := tx.RestoreStored(r.Entry.Name, r.Stored)
			if err != nil {
				return err
			}
			if healed {
				p.healed++
			}
			continue
		}
		if !wasPruned && (place != nil || late && r.Entry.Kind != schema.KindEvaluation) {
			continue
		}
		if err := tx.Rows().AppendRecord(r.Entry.Name, r.Stored); err != nil {
			return err
		}
		p.added++
		p.addedBytes += int64(len(r.Stored))
		if wasPruned {
			p.restored++
		}
	}
	for _, name := range p.pruned {
		if late || tx.Rows().PlaceOf(name) != nil {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *segment) putIterations(tx *tracker.Tx) error {
	id := p.reader.run.ID
	for _, f := range p.newIterations() {
		if err := tx.Rows().PutIteration(id, f.k, f.it); err != nil {
			return err
		}
		if err := rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(id, f.k), f.cost); err != nil {
			return err
		}
	}
	if len(p.newIterations()) == 0 {
		return nil
	}
	return tx.Rows().Remove(rows.BucketCheckpoints, id[:])
}

// checkUnchanged verifies that the run is as it was when the segment was read, that no process
// works on it, and that every record that its rows name will exist.
func (p *segment) checkUnchanged(tx *tracker.Tx) (err error) {
	id := p.reader.run.ID
	p.isNew = !tx.Rows().HasRun(id)
	if p.done, _, err = tx.ReadHead(id); err != nil {
		return refusedHereError(err)
	}
	if p.done < p.first {
		return changedError(id)
	}
	if err := p.checkLease(tx, id); err != nil {
		return err
	}
	if err := p.checkLinks(tx, id); err != nil {
		return err
	}
	if err := p.checkEvaluations(tx, id); err != nil {
		return err
	}
	if len(p.newIterations()) == len(p.iterations) {
		for _, name := range p.delivered {
			if tx.Rows().PlaceOf(name) == nil {
				return changedError(id)
			}
		}
	}
	p.merged, err = mergeMetadata(tx, id, p.reader.metadata, p.reader.done > p.done)
	return refusedHereError(err)
}
