package tracker

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// runReader reads a run of the source in segments that fit into batches. A copy of a runReader
// continues at the same position.
type runReader struct {
	result *CopiedRun
	err    error // why nothing (more) of the run is written, a runError

	run        Run
	checkShape ShapeCheck // nil if shapes are not checked
	done       int        // number of iterations in the source
	metadata   runMetadata

	ourLinks   []schema.Digest        // links of the target's iterations
	ourPruned  map[schema.Digest]bool // records that are pruned in the target
	ourBroken  map[schema.Digest]bool // records that are damaged or missing in the target
	nothingNew bool                   // the target has all metadata

	evaluations []Evaluation // evaluations that the target lacks, by iteration

	k     int           // the next iteration
	entry int           // the next record of it
	link  schema.Digest // of iteration k − 1

	evaluated int // index of the next of evaluations
}

// survey reads the run's row, length, metadata and evaluations.
func (w *runReader) survey(tx *Tx) error {
	steps := []func() error{
		func() (err error) { w.run, err = tx.ReadRun(w.result.Run); return err },
		func() (err error) { w.done, _, err = tx.ReadHead(w.run.ID); return err },
		func() error { return w.run.validate(w.done) },
		func() (err error) { w.metadata, err = tx.readMetadata(w.run.ID); return err },
		func() (err error) { w.evaluations, err = tx.readCheckedEvaluations(w.run.ID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refusedError(-1, nil, err)
		}
	}
	return nil
}

// compareOurs reads how much of the run the target has, and whether there is new metadata.
func (w *runReader) compareOurs(tx *Tx) (err error) {
	if !tx.hasRun(w.run.ID) {
		return nil
	}
	var u mergedMetadata
	if w.ourLinks, err = tx.readLinks(w.run.ID); err == nil {
		w.ourPruned, err = tx.prunedRecords(w.run.ID)
	}
	if err == nil {
		w.evaluations, err = tx.missingEvaluations(w.evaluations)
	}
	if err == nil {
		u, err = tx.mergeMetadata(w.run.ID, w.metadata, w.done > len(w.ourLinks))
	}
	if err != nil {
		return refusedHereError(err)
	}
	w.result.From, w.result.Name, w.result.NameTaken = len(w.ourLinks), u.Name, u.nameTaken
	w.nothingNew = u.isEmpty()
	return nil
}

// nextSegment reads the next segment for a batch.
func (w *runReader) nextSegment(ctx context.Context, tx *Tx, s *copyBatch) (*runSegment, error) {
	p := &runSegment{reader: w, size: w.metadata.size + runCost, limit: s.roomFor(w.metadata.size)}
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
func (w *runReader) readIteration(tx *Tx, s *copyBatch, p *runSegment) error {
	it, err := tx.ReadIteration(w.run.ID, w.k)
	if err == nil {
		err = w.run.verifyLink(w.k, w.link, it)
	}
	if err != nil {
		return refusedError(w.k, nil, err)
	}
	known := w.k < len(w.ourLinks)
	if known && it.Link != w.ourLinks[w.k] {
		return &runError{outcome: CopyDiffers, k: w.k, theirs: it.Records,
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
	p.size += int64(len(tx.buckets[bucketCosts].Get(partKey(w.run.ID, w.k)))) + rowSize
	w.advance(it.Link)
	return nil
}

// advance moves to the next iteration.
func (w *runReader) advance(link schema.Digest) {
	w.k, w.entry, w.link = w.k+1, 0, link
}

// readEvaluation reads the next evaluation.
func (w *runReader) readEvaluation(tx *Tx, s *copyBatch, p *runSegment) error {
	e := w.evaluations[w.evaluated]
	entry := e.entry()
	if err := p.loadRecord(tx, s, e.K, entry); err != nil {
		return refusedError(e.K, &entry, err)
	}
	p.evaluations = append(p.evaluations, e)
	w.evaluated++
	return nil
}
