package tracker

import "context"

// write puts a shipment into the store in one transaction. A run that turns out
// not to allow it costs no other.
func (c *copier) write(ctx context.Context, s *shipment) error {
	if len(s.parcels) > 0 {
		if err := c.pace.update(ctx, c.to, s.size, s.apply); err != nil {
			return err
		}
	}
	for _, p := range s.parcels {
		if err := c.settle(p); err != nil {
			return err
		}
	}
	for _, w := range s.ended {
		if err := w.end(); err != nil {
			return err
		}
	}
	return nil
}

func (s *shipment) apply(tx *Tx) error {
	u := newUnloading(tx, s)
	for _, p := range s.parcels {
		if p.way.r.settled {
			continue // an earlier piece could not be written
		}
		if p.err = p.check(u); p.err != nil {
			continue
		}
		if err := p.apply(u); err != nil {
			return err
		}
	}
	return u.index()
}

// settle notes what is on the disk.
func (c *copier) settle(p *parcel) error {
	r := p.way.r
	if r.settled {
		return nil
	}
	c.records += p.put
	c.bytes += p.putBytes
	r.Restored += p.back
	r.Healed += p.healed
	c.healed += p.healed
	if p.err != nil {
		return r.give(p.err)
	}
	r.Name, r.NameTaken, r.settled = p.union.Name, p.union.taken, p.last
	r.To = max(p.have, p.end())
	switch {
	case p.fresh || r.Outcome == CopyNew:
		r.Outcome = CopyNew
	case r.To > r.From:
		r.Outcome = CopyCompleted
	default:
		r.Outcome = CopyPresent
	}
	return nil
}

// end settles a run of which nothing is written (any more): something is wrong with
// it, or all of it is here.
func (w *reader) end() error {
	switch {
	case w.r.settled:
		return nil
	case w.err != nil:
		return w.r.give(w.err)
	}
	w.r.Outcome, w.r.To, w.r.settled = CopyPresent, w.r.From, true
	return nil
}
