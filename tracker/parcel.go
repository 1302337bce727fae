package tracker

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// parcel is what one transaction brings of one run: iterations, with the records
// that they list; of an iteration that is too large for that, some of its records
// ahead of it.
type parcel struct {
	way     *reader
	first   int           // number of the first of done, or of the iteration that the records are of
	before  schema.Digest // link of the iteration before that, zero for none
	done    []finished
	records []item          // each once
	gone    []schema.Digest // those that are pruned there
	brought []schema.Digest // by earlier parcels, for done
	size    int64           // about
	room    int64           // for so much
	last    bool            // nothing of the run follows

	evaluations []Evaluation // of iterations that are here, or come before

	// Set by check and apply, within the transaction.

	have     int  // iterations that are here
	fresh    bool // the run is not
	dead     bool // a lease is here that does not count any more
	union    union
	put      int   // records that were not here
	putBytes int64 // as stored
	back     int   // of those, pruned here before
	healed   int   // records that were damaged or missing here
	err      error // why nothing of the parcel can be written; others can
}

// item is a record that an iteration lists.
type item struct {
	k int // the iteration
	i int // of the shipment's records
}

// load adds a record in its stored form, unless the shipment has it.
func (p *parcel) load(tx *Tx, s *shipment, k int, e schema.Entry) error {
	p.size += entrySize
	i, found := s.find(e)
	if !found {
		stored, err := tx.stored(e.Name)
		if errors.Is(err, ErrPruned) {
			return p.loadTombstone(k, e)
		}
		if err != nil {
			return err
		}
		i = s.put(e, stored)
		p.size += int64(len(stored)) + rowWeight
	}
	if s.owners[i] != p {
		s.owners[i] = p
		p.records = append(p.records, item{k: k, i: i})
	}
	return nil
}

// wrong is the first of the parcel's records that is wrong, as an error of its run.
// made are the proofs of the shipment's records, none where only their forms were looked at.
func (p *parcel) wrong(made []proof, errs []error, s *shipment) error {
	for _, r := range p.records {
		entry, err := &s.records[r.i].entry, errs[r.i]
		if err == nil && made != nil && p.way.fit != nil {
			err = p.way.fit(r.k, entry.Kind, made[r.i].shape)
		}
		if err != nil {
			return refused(r.k, entry, err)
		}
	}
	return nil
}

// loadTombstone is for a record that the other store does not have any more. There
// is none of what is never pruned.
func (p *parcel) loadTombstone(k int, e schema.Entry) error {
	if !p.way.run.prunable(k, e.Kind) {
		return damaged("it is pruned, as records of its kind never are")
	}
	p.gone = append(p.gone, e.Name)
	return nil
}

// What rows take: about.
const (
	entrySize = 48            // of an entry, in bytes
	rowSize   = 128           // of an iteration and its cost, keys and checksums
	runWeight = 7 * rowWeight // of a run: what is said of it is in as many buckets
)

func (p *parcel) empty() bool { return len(p.done) == 0 && len(p.records) == 0 && len(p.gone) == 0 }

// end is the number of iterations of the run with those of the parcel.
func (p *parcel) end() int { return p.first + len(p.done) }

// check reads whether the run is still as it was when the parcel was made, is
// worked on by nobody, and will have every record that its rows name.
func (p *parcel) check(u *unloading) (err error) {
	tx := u.Tx
	id := p.way.run.ID
	p.fresh = !tx.hasRun(id)
	if p.have, _, err = tx.ReadHead(id); err != nil {
		return refusedHere(err)
	}
	if p.have < p.first {
		return changed(id)
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
	if len(p.unknown()) == len(p.done) {
		for _, name := range p.brought {
			if u.here(name) == nil {
				return changed(id)
			}
		}
	}
	p.union, err = tx.unite(id, p.way.said, p.way.done > p.have)
	return refusedHere(err)
}

// checkLease matters to who adds iterations; what is said of a run is anybody's.
func (p *parcel) checkLease(tx *Tx, id schema.Digest) error {
	if p.empty() {
		return nil
	}
	l, err := tx.ReadLease(id)
	if err != nil {
		return refusedHere(err)
	}
	if p.dead = l != nil; p.dead && tx.alive(*l) {
		return &flaw{outcome: CopyHeld, k: -1, err: tx.held(id, *l)}
	}
	return nil
}

// checkLinks holds what is here of the parcel's iterations, and the one before
// them, to the same links.
func (p *parcel) checkLinks(tx *Tx, id schema.Digest) error {
	for k := max(p.first-1, 0); k < min(p.have, p.end()); k++ {
		it, err := tx.ReadIteration(id, k)
		if err != nil {
			return refusedHere(err)
		}
		link := p.before
		if k >= p.first {
			link = p.done[k-p.first].it.Link
		}
		if it.Link != link {
			return changed(id)
		}
	}
	return nil
}

// checkEvaluations holds the iterations of the parcel's evaluations to their links.
func (p *parcel) checkEvaluations(tx *Tx, id schema.Digest) error {
	for _, e := range p.evaluations {
		link := schema.Digest{}
		if e.K >= p.have && e.K < p.end() {
			link = p.done[e.K-p.first].it.Link
		} else if it, err := tx.ReadIteration(id, e.K); err == nil {
			link = it.Link
		}
		if link != e.Link {
			return changed(id)
		}
	}
	return nil
}

// unknown are the iterations of the parcel that are not here.
func (p *parcel) unknown() []finished { return p.done[min(p.have-p.first, len(p.done)):] }
