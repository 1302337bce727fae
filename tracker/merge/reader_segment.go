package merge

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// nextSegment reads the next segment for a batch.
func (w *runReader) nextSegment(ctx context.Context, tx *tracker.Tx, s *batch) (*segment, error) {
	p := &segment{reader: w, size: w.metadata.size + rows.RunBytes, limit: s.roomFor(w.metadata.size)}
	for w.k < w.done && p.size < p.limit && ctx.Err() == nil {
		if err := w.readIteration(tx, s, p); err != nil {
			return p, err
		}
	}
	for w.k == w.done && w.evaluated < len(w.evaluations) && p.size < p.limit && ctx.Err() == nil {
		if err := w.readEvaluation(tx, s, p); err != nil {
			return p, err
		}
	}
	p.first, p.last = w.k-len(p.iterations), w.k == w.done && w.evaluated == len(w.evaluations)
	if len(p.iterations) == 0 {
		p.before = w.link
	}
	if p.last {
		if _, err := w.run.PreviousLink(w.k, w.link); err != nil { // of a fork without iterations of its own
			return p, refusedError(w.k, nil, err)
		}
	}
	return p, ctx.Err()
}

// readIteration reads iteration k, or as many of its records as fit.
func (w *runReader) readIteration(tx *tracker.Tx, s *batch, p *segment) error {
	it, err := tx.ReadIteration(w.run.ID, w.k)
	if err == nil {
		err = w.run.VerifyLink(w.k, w.link, it)
	}
	if err != nil {
		return refusedError(w.k, nil, err)
	}
	known := w.k < len(w.ourLinks)
	if known && it.Link != w.ourLinks[w.k] {
		return &runError{outcome: OutcomeDiffers, k: w.k, theirs: it.Records,
			err: errors.New("another link is recorded here")}
	}
	delivered := it.Records[:w.entry]
	for ; w.entry < len(it.Records); w.entry++ {
		e := it.Records[w.entry]
		if known && (!w.ourPruned[e.Name] && !w.ourBroken[e.Name] || tx.IsPruned(e.Name)) {
			continue // the target has it, or neither store does
		}
		if p.size >= p.limit {
			return nil
		}
		if err := p.loadRecord(tx, s, w.k, e); err != nil {
			return refusedError(w.k, &e, err)
		}
	}
	if known {
		w.advance(it.Link)
		return nil
	}
	cost, err := tx.ReadCost(w.run.ID, w.k)
	if err != nil {
		return refusedError(w.k, nil, err)
	}
	if len(p.iterations) == 0 {
		p.before = w.link
	}
	for _, e := range delivered {
		p.delivered = append(p.delivered, e.Name)
	}
	p.iterations = append(p.iterations, finishedIteration{k: w.k, it: it, cost: cost})
	p.size += int64(len(tx.Rows().Bucket(rows.BucketCosts).Get(rows.PartKey(w.run.ID, w.k)))) + rows.RowBytes
	w.advance(it.Link)
	return nil
}

// advance moves to the next iteration.
func (w *runReader) advance(link schema.Digest) {
	w.k, w.entry, w.link = w.k+1, 0, link
}

// readEvaluation reads the next evaluation.
func (w *runReader) readEvaluation(tx *tracker.Tx, s *batch, p *segment) error {
	e := w.evaluations[w.evaluated]
	entry := e.Entry()
	if err := p.loadRecord(tx, s, e.K, entry); err != nil {
		return refusedError(e.K, &entry, err)
	}
	p.evaluations = append(p.evaluations, e)
	w.evaluated++
	return nil
}
