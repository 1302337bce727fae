package tracker

import "context"

// add puts a parcel into the next transaction that has room for it.
func (c *copier) add(ctx context.Context, p *parcel) error {
	if c.size+p.size > maxStaged {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	c.waiting = append(c.waiting, p)
	c.size += p.size
	return nil
}

// flush writes what waits in one transaction. A run that turns out not to allow
// it costs no other.
func (c *copier) flush(ctx context.Context) error {
	if len(c.waiting) == 0 {
		return nil
	}
	err := c.to.Update(ctx, func(tx *Tx) error {
		for _, p := range c.waiting {
			if p.err = p.check(tx); p.err != nil {
				continue
			}
			if err := p.apply(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range c.waiting {
		if err := c.settle(p); err != nil {
			return err
		}
	}
	c.waiting, c.size = nil, 0
	return nil
}

// settle notes what is on the disk.
func (c *copier) settle(p *parcel) error {
	c.records += p.put
	c.bytes += p.putBytes
	p.way.r.Restored += p.back
	r := p.way.r
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
