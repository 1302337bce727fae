package tracker

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// runSegment is what one transaction brings of one run: iterations, with the records
// that they list; of an iteration that is too large for that, some of its records
// ahead of it.
type runSegment struct {
	reader     *runReader
	first      int           // number of the first of done, or of the iteration that the records are of
	before     schema.Digest // link of the iteration before that, zero for none
	iterations []finished
	records    []segmentRecord // each once
	pruned     []schema.Digest // those that are pruned there
	delivered  []schema.Digest // by earlier parcels, for done
	size       int64           // about
	limit      int64           // for so much
	last       bool            // nothing of the run follows

	evaluations []Evaluation // of iterations that are here, or come before

	// Set by check and apply, within the transaction.

	done       int  // iterations that are here
	isNew      bool // the run is not
	leaseStale bool // a lease is here that does not count any more
	merged     mergedMetadata
	added      int   // records that were not here
	addedBytes int64 // as stored
	restored   int   // of those, pruned here before
	healed     int   // records that were damaged or missing here
	err        error // why nothing of the parcel can be written; others can
}

// segmentRecord is a record that an iteration lists.
type segmentRecord struct {
	k int // the iteration
	i int // of the shipment's records
}

// loadRecord adds a record in its stored form, unless the shipment has it.
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

// firstError is the first of the parcel's records that is wrong, as an error of its run.
// made are the proofs of the shipment's records, none where only their forms were looked at.
func (p *runSegment) firstError(made []verifiedRecord, errs []error, s *copyBatch) error {
	for _, r := range p.records {
		entry, err := &s.records[r.i].entry, errs[r.i]
		if err == nil && made != nil && p.reader.checkShape != nil {
			err = p.reader.checkShape(r.k, entry.Kind, made[r.i].shape)
		}
		if err != nil {
			return refusedError(r.k, entry, err)
		}
	}
	return nil
}

// loadTombstone is for a record that the other store does not have any more. There
// is none of what is never pruned.
func (p *runSegment) loadTombstone(k int, e schema.Entry) error {
	if !p.reader.run.isPrunable(k, e.Kind) {
		return damagedError("it is pruned, as records of its kind never are")
	}
	p.pruned = append(p.pruned, e.Name)
	return nil
}

// What rows take: about.
const (
	entrySize = 48          // of an entry, in bytes
	rowSize   = 128         // of an iteration and its cost, keys and checksums
	runCost   = 7 * rowCost // of a run: what is said of it is in as many buckets
)

func (p *runSegment) isEmpty() bool {
	return len(p.iterations) == 0 && len(p.records) == 0 && len(p.pruned) == 0
}

// end is the number of iterations of the run with those of the parcel.
func (p *runSegment) end() int { return p.first + len(p.iterations) }

// checkUnchanged reads whether the run is still as it was when the parcel was made, is
// worked on by nobody, and will have every record that its rows name.
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

// checkLease matters to who adds iterations; what is said of a run is anybody's.
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

// checkLinks holds what is here of the parcel's iterations, and the one before
// them, to the same links.
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

// checkEvaluations holds the iterations of the parcel's evaluations to their links.
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

// newIterations are the iterations of the parcel that are not here.
func (p *runSegment) newIterations() []finished {
	return p.iterations[min(p.done-p.first, len(p.iterations)):]
}
