package merge

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// nextSegment reads the next segment for a batch.
func (r *runReader) nextSegment(ctx context.Context, tx *tracker.Tx, s *batch) (*segment, error) {
	p := &segment{reader: r, size: r.metadata.size + rows.RunBytes, limit: s.roomFor(r.metadata.size)}
	for r.k < r.done && p.size < p.limit && ctx.Err() == nil {
		if err := r.readIteration(tx, s, p); err != nil {
			return p, err
		}
	}
	p.first, p.last = r.k-len(p.iterations), r.k == r.done
	if len(p.iterations) == 0 {
		p.before = r.link
	}
	if p.last {
		if _, err := r.run.PreviousLink(r.k, r.link); err != nil { // of a fork without iterations of its own
			return p, refusedError(r.k, nil, err)
		}
	}
	return p, ctx.Err()
}

// readIteration reads iteration k, or as many of its records as fit.
func (r *runReader) readIteration(tx *tracker.Tx, s *batch, p *segment) error {
	it, err := tx.ReadIteration(r.run.ID, r.k)
	if err == nil {
		err = r.run.VerifyLink(r.k, r.link, it)
	}
	if err != nil {
		return refusedError(r.k, nil, err)
	}
	known := r.k < len(r.ourLinks)
	if known && it.Link != r.ourLinks[r.k] {
		return &runError{outcome: OutcomeDiffers, k: r.k, theirs: it.Records,
			err: errors.New("the target has another link")}
	}
	delivered := it.Records[:r.entry]
	for ; r.entry < len(it.Records); r.entry++ {
		e := it.Records[r.entry]
		if known && (!r.ourPruned[e.Name] && !r.ourBroken[e.Name] || tx.IsPruned(e.Name)) {
			continue // the target has it, or neither store does
		}
		if p.size >= p.limit {
			return nil
		}
		if err := p.loadRecord(tx, s, r.k, e); err != nil {
			return refusedError(r.k, &e, err)
		}
	}
	if known {
		r.advance(it.Link)
		return nil
	}
	cost, err := tx.ReadCost(r.run.ID, r.k)
	if err != nil {
		return refusedError(r.k, nil, err)
	}
	if len(p.iterations) == 0 {
		p.before = r.link
	}
	for _, e := range delivered {
		p.delivered = append(p.delivered, e.Name)
	}
	p.iterations = append(p.iterations, finishedIteration{k: r.k, it: it, cost: cost})
	p.size += int64(len(tx.Rows().Bucket(rows.BucketCosts).Get(rows.PartKey(r.run.ID, r.k)))) + rows.RowBytes
	r.advance(it.Link)
	return nil
}

// advance moves to the next iteration.
func (r *runReader) advance(link schema.Digest) {
	r.k, r.entry, r.link = r.k+1, 0, link
}
