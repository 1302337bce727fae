package tracker

import (
	"context"
	"errors"
)

// run copies one run. What is longer than a transaction is read twice: first to
// prove all of it, then to write it.
func (c *copier) run(ctx context.Context, r *CopiedRun) error {
	way, err := c.begin(ctx, r)
	if err != nil {
		return err
	}
	start := *way
	p, err := way.next(ctx)
	switch {
	case err != nil:
		return c.locate(ctx, way, err)
	case p.last && p.empty() && way.nothingSaid:
		r.Outcome, r.To, r.settled = CopyPresent, r.From, true
		return nil
	case p.last:
		return c.add(ctx, p)
	}
	for !p.last {
		if p, err = way.next(ctx); err != nil {
			return err
		}
	}
	return c.inPieces(ctx, &start)
}

func (c *copier) inPieces(ctx context.Context, way *reader) error {
	for {
		p, err := way.next(ctx)
		if err != nil {
			return err
		}
		if err := c.add(ctx, p); err != nil {
			return err
		}
		if err := c.flush(ctx); err != nil || p.last || p.err != nil {
			return err
		}
	}
}

// begin looks at a run in both stores.
func (c *copier) begin(ctx context.Context, r *CopiedRun) (*reader, error) {
	way := &reader{from: c.from, proofs: c.proofs, r: r}
	if err := c.from.View(ctx, way.survey); err != nil {
		return nil, way.ofRun(err)
	}
	r.Name = way.said.Name
	if c.vet != nil {
		if err := c.vet(way.run); err != nil {
			return nil, refused(-1, nil, err)
		}
	}
	return way, c.to.View(ctx, way.compare)
}

// locate adds to a difference of links the first record that differs.
func (c *copier) locate(ctx context.Context, way *reader, err error) error {
	var f *flaw
	if !errors.As(err, &f) || f.outcome != CopyDiffers {
		return err
	}
	return c.to.View(ctx, func(tx *Tx) error {
		ours, err := tx.Iteration(way.run.ID, f.k)
		if err != nil {
			return refusedHere(err)
		}
		f.compare(ours.Records)
		return f
	})
}
