package tracker

import (
	"bytes"

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
	records []packed
	names   map[schema.Entry]bool // of records, and of those that are pruned there
	gone    []schema.Digest       // the latter
	size    int64                 // bytes, about
	last    bool                  // nothing of the run follows

	evaluations []Evaluated // of iterations that are here, or come before

	// Set by check and apply, within the transaction.

	have     int  // iterations that are here
	fresh    bool // the run is not
	dead     bool // a lease is here that does not count any more
	union    union
	put      int   // records that were not here
	putBytes int64 // as stored
	back     int   // of those, pruned here before
	err      error // why nothing of the parcel can be written; others can
}

// load adds a record in its stored form, unless the parcel has it.
func (p *parcel) load(tx *Tx, k int, e schema.Entry) error {
	p.size += entrySize
	if p.names[e] {
		return nil
	}
	if tx.Pruned(e.Name) {
		return p.loadTombstone(k, e)
	}
	stored, err := tx.stored(e.Name)
	if err != nil {
		return err
	}
	p.names[e] = true
	p.records = append(p.records, packed{k: k, entry: e, stored: bytes.Clone(stored)})
	p.size += int64(len(stored))
	return nil
}

// loadTombstone is for a record that the other store does not have any more. There
// is none of what is never pruned.
func (p *parcel) loadTombstone(k int, e schema.Entry) error {
	if !p.way.run.prunable(k, e.Kind) {
		return damaged("it is pruned, as records of its kind never are")
	}
	p.names[e] = true
	p.gone = append(p.gone, e.Name)
	return nil
}

// What rows take, in bytes: about.
const (
	entrySize = 48  // of an entry
	rowSize   = 128 // of an iteration and its cost, keys and checksums
)

func (p *parcel) empty() bool { return len(p.done) == 0 && len(p.names) == 0 }

// end is the number of iterations of the run with those of the parcel.
func (p *parcel) end() int { return p.first + len(p.done) }

// check reads whether the run is still as it was when the parcel was made, is
// worked on by nobody, and will have every record that its rows name.
func (p *parcel) check(tx *Tx) (err error) {
	id := p.way.run.ID
	p.fresh = !tx.hasRun(id)
	if p.have, _, err = tx.Head(id); err != nil {
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
	for _, f := range p.unknown() {
		for _, e := range f.it.Records {
			if !p.names[e] && !tx.Has(e.Name) && !tx.Pruned(e.Name) {
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
	l, err := tx.Lease(id)
	if err != nil {
		return refusedHere(err)
	}
	if p.dead = l != nil; p.dead && tx.alive(*l) {
		return &flaw{outcome: CopyHeld, k: -1, err: held(id, *l)}
	}
	return nil
}

// checkLinks holds what is here of the parcel's iterations, and the one before
// them, to the same links.
func (p *parcel) checkLinks(tx *Tx, id schema.Digest) error {
	for k := max(p.first-1, 0); k < min(p.have, p.end()); k++ {
		it, err := tx.Iteration(id, k)
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
		} else if it, err := tx.Iteration(id, e.K); err == nil {
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
