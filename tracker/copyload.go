package tracker

import (
	"context"
	"iter"
)

// shipments are what is to be written, transaction by transaction, and proved.
func (c *copier) shipments(ctx context.Context, groups iter.Seq2[[]*reader, error]) iter.Seq2[*shipment, error] {
	return func(yield func(*shipment, error) bool) {
		l := loading{c: c, yield: yield, s: newShipment(c.pace.limit())}
		for group, err := range groups {
			if err != nil {
				yield(nil, err)
				return
			}
			if !l.group(ctx, group) {
				return
			}
		}
		l.send(ctx)
	}
}

// loading is the shipment that is being put together.
type loading struct {
	c     *copier
	yield func(*shipment, error) bool
	s     *shipment
}

// send proves the shipment, hands it on, and begins another one. It says whether
// to go on.
func (l *loading) send(ctx context.Context) bool {
	s := l.s
	l.s = newShipment(l.c.pace.limit())
	err := l.c.prove(ctx, s)
	return l.yield(s, err) && err == nil
}

// group loads runs. What is longer than a shipment is brought in pieces.
func (l *loading) group(ctx context.Context, group []*reader) bool {
	for len(group) > 0 {
		rest, full, err := l.load(ctx, group)
		if err != nil {
			return l.yield(nil, err) && false
		}
		group = rest
		long := full && len(l.s.parcels) == 0
		if (full || len(l.s.parcels) == 0) && !l.send(ctx) {
			return false
		}
		if long {
			if !l.pieces(ctx, group[0]) {
				return false
			}
			group = group[1:]
		}
	}
	return true
}

// load reads runs into the shipment, until one does not fit or their records were
// not looked up.
func (l *loading) load(ctx context.Context, group []*reader) (rest []*reader, full bool, err error) {
	var differing []*reader
	err = l.c.from.View(ctx, func(tx *Tx) (err error) {
		for known := tx.lookUp(group, l.s.limit); known > 0; known-- {
			w := group[0]
			if full, err = l.loadRun(ctx, tx, w); full || err != nil {
				return err
			}
			if w.differs() {
				differing = append(differing, w)
			}
			group = group[1:]
		}
		return ctx.Err()
	})
	if err == nil {
		err = l.c.locate(ctx, differing)
	}
	return group, full, err
}

// loadRun reads a run, or leaves it as it was where that does not fit.
func (l *loading) loadRun(ctx context.Context, tx *Tx, w *reader) (full bool, err error) {
	s := l.s
	if w.err != nil {
		s.ended = append(s.ended, w)
		return false, nil
	}
	start, records := *w, len(s.records)
	var p *parcel
	err = l.c.attempt(w, func() (err error) { p, err = w.next(ctx, tx, s); return err })
	switch {
	case err != nil:
		return false, err
	case w.err != nil:
		s.forget(records)
		s.ended = append(s.ended, w)
	case !p.last, w.said.size+runWeight > p.room:
		s.forget(records)
		*w = start
		return true, nil
	case p.empty() && w.nothingSaid:
		s.ended = append(s.ended, w)
	default:
		s.add(p)
	}
	return false, nil
}

// pieces reads a run twice that is longer than a shipment: first to prove all of
// it, then to have it written.
func (l *loading) pieces(ctx context.Context, w *reader) bool {
	start := *w
	for _, proved := range []bool{false, true} {
		*w = start
		for last := false; !last; {
			s, err := l.piece(ctx, w)
			last = w.err != nil || len(s.parcels) > 0 && s.parcels[0].last
			if (err != nil || proved || w.err != nil) && !l.yield(s, err) || err != nil {
				return false
			}
		}
		if w.err != nil {
			return true
		}
	}
	return true
}

// piece is the next part of a run, proved.
func (l *loading) piece(ctx context.Context, w *reader) (*shipment, error) {
	s := newShipment(l.c.pace.limit())
	err := l.c.from.View(ctx, func(tx *Tx) error {
		return l.c.attempt(w, func() error {
			p, err := w.next(ctx, tx, s)
			if err == nil {
				s.add(p)
			}
			return err
		})
	})
	if err == nil && w.differs() {
		err = l.c.locate(ctx, []*reader{w})
	}
	if w.err != nil {
		s.ended = append(s.ended, w)
		return s, err
	}
	if err == nil {
		err = l.c.prove(ctx, s)
	}
	return s, err
}

// prove holds all records of a shipment to their names and kinds, and takes out
// the runs of which one is wrong.
func (c *copier) prove(ctx context.Context, s *shipment) error {
	codec, err := c.from.codec()
	if err != nil {
		return err
	}
	made, errs, err := c.proofs.prove(ctx, codec, s.records)
	if err != nil {
		return err
	}
	sound := s.parcels[:0]
	for _, p := range s.parcels {
		if p.way.err = p.wrong(made, errs, s); p.way.err != nil {
			s.ended = append(s.ended, p.way)
		} else {
			sound = append(sound, p)
		}
	}
	s.parcels = sound
	return nil
}
