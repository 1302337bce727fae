package merge

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// apply writes the segment, referents before references. A checkpoint belongs to the first
// iteration that the target lacks, so it is removed when that is written. A stale lease is removed
// too, so that its owner notices should it continue.
func (p *segment) apply(u *batchWriter) error {
	tx, id := u.Tx, p.reader.run.ID
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
	if err := p.putRecords(u); err != nil {
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

func (p *segment) putRecords(u *batchWriter) error {
	late := p.done > p.end() // another process has written these iterations already
	for _, l := range p.records {
		r := u.batch.records[l.i]
		if p.reader.ourBroken[r.Entry.Name] {
			healed, err := u.repairRecord(l.i)
			if err != nil {
				return fmt.Errorf("write record %s: %w", r.Entry.Name, err)
			}
			if healed {
				p.healed++
			}
			continue
		}
		written, restored, err := u.addRecord(l.i, late && r.Entry.Kind != schema.KindEvaluation)
		if err != nil {
			return fmt.Errorf("append record %s: %w", r.Entry.Name, err)
		}
		if written {
			p.added++
			p.addedBytes += int64(len(r.Stored))
		}
		if restored {
			p.restored++
		}
	}
	for _, name := range p.pruned {
		if late {
			break
		}
		if err := u.markPruned(name); err != nil {
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
func (p *segment) checkUnchanged(u *batchWriter) (err error) {
	tx := u.Tx
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
			if u.placeOf(name) == nil {
				return changedError(id)
			}
		}
	}
	p.merged, err = mergeMetadata(tx, id, p.reader.metadata, p.reader.done > p.done)
	return refusedHereError(err)
}
