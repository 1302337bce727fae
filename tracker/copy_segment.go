package tracker

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// runSegment is what one transaction writes of one run: iterations with their records or, of an
// iteration that is too large, some of its records in advance.
type runSegment struct {
	reader     *runReader
	first      int           // number of the first of iterations, or of the iteration of the records
	before     schema.Digest // link of the iteration before first, zero if there is none
	iterations []finishedIteration
	records    []segmentRecord // without repetitions
	pruned     []schema.Digest // records that are pruned in the source
	delivered  []schema.Digest // records of iterations that earlier segments have written
	size       int64           // approximate, in bytes
	limit      int64           // largest size
	last       bool            // this is the run's last segment

	evaluations []Evaluation // of iterations of the target or of this segment

	// Set by checkUnchanged and apply, within the transaction.

	done       int  // number of iterations in the target
	isNew      bool // the target does not have the run
	leaseStale bool // the target has a stale lease
	merged     mergedMetadata
	added      int   // number of records written
	addedBytes int64 // bytes of these as stored
	restored   int   // records that had been pruned in the target
	healed     int   // records that were damaged or missing in the target
	err        error // why this segment cannot be written; others can
}

// segmentRecord is a record that an iteration lists.
type segmentRecord struct {
	k int // the iteration
	i int // index in the batch's records
}

// loadRecord adds a record in its stored form, unless the batch has it.
func (p *runSegment) loadRecord(tx *Tx, s *copyBatch, k int, e schema.Entry) error {
	p.size += entrySize
	i, found := s.find(e)
	if !found {
		stored, err := tx.readStored(e.Name)
		if errors.Is(err, ErrPruned) {
			return p.loadTombstone(k, e)
		}
		if err != nil {
			return err
		}
		i = s.putRecord(e, stored)
		p.size += int64(len(stored)) + rowCost
	}
	if s.owners[i] != p {
		s.owners[i] = p
		p.records = append(p.records, segmentRecord{k: k, i: i})
	}
	return nil
}

// firstError returns the error of the segment's first wrong record. made has a [verifiedRecord] for
// each record of the batch, or is nil if only the stored forms were checked.
func (p *runSegment) firstError(made []verifiedRecord, errs []error, s *copyBatch) error {
	for _, r := range p.records {
		entry, err := &s.records[r.i].entry, errs[r.i]
		if err == nil && made != nil && p.reader.checkShape != nil {
			if err := p.reader.checkShape(r.k, entry.Kind, made[r.i].shape); err != nil {
				return &runError{outcome: CopyRefused, k: r.k, entry: entry, err: err, misfit: true}
			}
		}
		if err != nil {
			return refusedError(r.k, entry, err)
		}
	}
	return nil
}

// loadTombstone adds a record that was pruned in the source. Records that cannot be pruned must not
// be.
func (p *runSegment) loadTombstone(k int, e schema.Entry) error {
	if !p.reader.run.isPrunable(k, e.Kind) {
		return damagedError("it is pruned, but records of its kind never are")
	}
	p.pruned = append(p.pruned, e.Name)
	return nil
}

// Approximate sizes of rows.
const (
	entrySize = 48          // of an entry, in bytes
	rowSize   = 128         // of an iteration and its cost, keys and checksums
	runCost   = 7 * rowCost // of a run, whose metadata is in as many buckets
)

func (p *runSegment) isEmpty() bool {
	return len(p.iterations) == 0 && len(p.records) == 0 && len(p.pruned) == 0
}

// end returns the number of iterations of the run including those of the segment.
func (p *runSegment) end() int { return p.first + len(p.iterations) }

// checkUnchanged verifies that the run is as it was when the segment was read, that no process
// works on it, and that every record that its rows name will exist.
func (p *runSegment) checkUnchanged(u *batchWriter) (err error) {
	tx := u.Tx
	id := p.reader.run.ID
	p.isNew = !tx.hasRun(id)
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
	p.merged, err = tx.mergeMetadata(id, p.reader.metadata, p.reader.done > p.done)
	return refusedHereError(err)
}

// checkLease returns an error if a process works on the run, unless only metadata is to be written.
func (p *runSegment) checkLease(tx *Tx, id schema.Digest) error {
	if p.isEmpty() {
		return nil
	}
	l, err := tx.ReadLease(id)
	if err != nil {
		return refusedHereError(err)
	}
	if p.leaseStale = l != nil; p.leaseStale && tx.isAlive(*l) {
		return &runError{outcome: CopyHeld, k: -1, err: tx.heldError(id, *l)}
	}
	return nil
}

// checkLinks verifies that the target's links of the segment's iterations, and of the one before
// them, are the same.
func (p *runSegment) checkLinks(tx *Tx, id schema.Digest) error {
	for k := max(p.first-1, 0); k < min(p.done, p.end()); k++ {
		it, err := tx.ReadIteration(id, k)
		if err != nil {
			return refusedHereError(err)
		}
		link := p.before
		if k >= p.first {
			link = p.iterations[k-p.first].it.Link
		}
		if it.Link != link {
			return changedError(id)
		}
	}
	return nil
}

// checkEvaluations verifies the links of the iterations to which the segment's evaluations belong.
func (p *runSegment) checkEvaluations(tx *Tx, id schema.Digest) error {
	for _, e := range p.evaluations {
		link := schema.Digest{}
		if e.K >= p.done && e.K < p.end() {
			link = p.iterations[e.K-p.first].it.Link
		} else if it, err := tx.ReadIteration(id, e.K); err == nil {
			link = it.Link
		}
		if link != e.Link {
			return changedError(id)
		}
	}
	return nil
}

// newIterations returns the iterations of the segment that the target lacks.
func (p *runSegment) newIterations() []finishedIteration {
	return p.iterations[min(p.done-p.first, len(p.iterations)):]
}
