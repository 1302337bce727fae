package tracker

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// reader goes through a run of the store that is copied from, in parcels that fit into
// shipments. A copy of it begins where it stands.
type reader struct {
	r   *CopiedRun
	err error // why nothing of the run is written (any more), a flaw

	run  Run
	fit  ShapeCheck // nil where nothing refuses its records' shapes
	done int        // iterations there
	said said

	here        []schema.Digest        // links of the iterations that are here
	lacking     map[schema.Digest]bool // records of those that were pruned here
	broken      map[schema.Digest]bool // records of those that are damaged or missing here
	nothingSaid bool                   // that is not said here, too

	evaluations []Evaluation // those that are not here, by iteration

	k     int           // the next iteration
	entry int           // the next record of it
	link  schema.Digest // of iteration k − 1

	evaluated int // the next of evaluations
}

// survey reads what the run is and how far it goes.
func (w *reader) survey(tx *Tx) error {
	steps := []func() error{
		func() (err error) { w.run, err = tx.ReadRun(w.r.Run); return err },
		func() (err error) { w.done, _, err = tx.ReadHead(w.run.ID); return err },
		func() error { return w.run.sound(w.done) },
		func() (err error) { w.said, err = tx.said(w.run.ID); return err },
		func() (err error) { w.evaluations, err = tx.hanging(w.run.ID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refused(-1, nil, err)
		}
	}
	return nil
}

// compare reads how far the run is here, and whether there is anything new to
// say of it.
func (w *reader) compare(tx *Tx) (err error) {
	if !tx.hasRun(w.run.ID) {
		return nil
	}
	var u union
	if w.here, err = tx.links(w.run.ID); err == nil {
		w.lacking, err = tx.lacking(w.run.ID)
	}
	if err == nil {
		w.evaluations, err = tx.unknown(w.evaluations)
	}
	if err == nil {
		u, err = tx.unite(w.run.ID, w.said, w.done > len(w.here))
	}
	if err != nil {
		return refusedHere(err)
	}
	w.r.From, w.r.Name, w.r.NameTaken = len(w.here), u.Name, u.taken
	w.nothingSaid = u.nothing()
	return nil
}

// next reads the next parcel, for a shipment that is open for it.
func (w *reader) next(ctx context.Context, tx *Tx, s *shipment) (*parcel, error) {
	p := &parcel{way: w, size: w.said.size + runWeight, room: s.room(w.said.size)}
	for w.k < w.done && p.size < p.room && ctx.Err() == nil {
		if err := w.take(tx, s, p); err != nil {
			return p, err
		}
	}
	for w.k == w.done && w.evaluated < len(w.evaluations) && p.size < p.room && ctx.Err() == nil {
		if err := w.takeEvaluation(tx, s, p); err != nil {
			return p, err
		}
	}
	p.first, p.last = w.k-len(p.done), w.k == w.done && w.evaluated == len(w.evaluations)
	if len(p.done) == 0 {
		p.before = w.link
	}
	if p.last {
		if _, err := w.run.PreviousLink(w.k, w.link); err != nil { // where a fork begins that has no iteration of its own
			return p, refused(w.k, nil, err)
		}
	}
	return p, ctx.Err()
}

// take goes past iteration k, or as many of its records as there is room for.
func (w *reader) take(tx *Tx, s *shipment, p *parcel) error {
	it, err := tx.ReadIteration(w.run.ID, w.k)
	if err == nil {
		err = w.run.follows(w.k, w.link, it)
	}
	if err != nil {
		return refused(w.k, nil, err)
	}
	known := w.k < len(w.here)
	if known && it.Link != w.here[w.k] {
		return &flaw{outcome: CopyDiffers, k: w.k, there: it.Records, err: errors.New("another link is recorded here")}
	}
	brought := it.Records[:w.entry]
	for ; w.entry < len(it.Records); w.entry++ {
		e := it.Records[w.entry]
		if known && (!w.lacking[e.Name] && !w.broken[e.Name] || tx.IsPruned(e.Name)) {
			continue // it is here, or in neither
		}
		if p.size >= p.room {
			return nil
		}
		if err := p.load(tx, s, w.k, e); err != nil {
			return refused(w.k, &e, err)
		}
	}
	if known {
		w.pass(it.Link)
		return nil
	}
	cost, err := tx.ReadCost(w.run.ID, w.k)
	if err != nil {
		return refused(w.k, nil, err)
	}
	if len(p.done) == 0 {
		p.before = w.link
	}
	for _, e := range brought {
		p.brought = append(p.brought, e.Name)
	}
	p.done = append(p.done, finished{k: w.k, it: it, cost: cost})
	p.size += int64(len(tx.buckets[bucketCosts].Get(partKey(w.run.ID, w.k)))) + rowSize
	w.pass(it.Link)
	return nil
}

// pass goes past iteration k.
func (w *reader) pass(link schema.Digest) {
	w.k, w.entry, w.link = w.k+1, 0, link
}

// takeEvaluation goes past an evaluation.
func (w *reader) takeEvaluation(tx *Tx, s *shipment, p *parcel) error {
	e := w.evaluations[w.evaluated]
	entry := e.entry()
	if err := p.load(tx, s, e.K, entry); err != nil {
		return refused(e.K, &entry, err)
	}
	p.evaluations = append(p.evaluations, e)
	w.evaluated++
	return nil
}
