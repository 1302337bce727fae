package merge

import (
	"bytes"
	"context"
	"iter"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// loadBatches yields verified batches, one for each transaction.
func (c *copier) loadBatches(ctx context.Context, groups iter.Seq2[[]*runReader, error]) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		l := batchLoader{c: c, yield: yield, batch: newBatch(c.sizer.Limit())}
		for group, err := range groups {
			if err != nil {
				yield(nil, err)
				return
			}
			if !l.loadGroup(ctx, group) {
				return
			}
		}
		l.send(ctx)
	}
}

// A batchLoader assembles batches.
type batchLoader struct {
	c     *copier
	yield func(*batch, error) bool
	batch *batch

	places places // of the source's records
}

// send verifies the batch, yields it and begins another one. It reports whether to continue.
func (b *batchLoader) send(ctx context.Context) bool {
	s := b.batch
	b.batch = newBatch(b.c.sizer.Limit())
	err := b.c.verifyBatch(ctx, s)
	return b.yield(s, err) && err == nil
}

// loadGroup loads runs. A run that is longer than a batch is loaded in pieces.
func (b *batchLoader) loadGroup(ctx context.Context, group []*runReader) bool {
	for len(group) > 0 {
		rest, full, err := b.loadRuns(ctx, group)
		if err != nil {
			return b.yield(nil, err) && false
		}
		group = rest
		long := full && len(b.batch.segments) == 0
		if (full || len(b.batch.segments) == 0) && !b.send(ctx) {
			return false
		}
		if long {
			if !b.loadInPieces(ctx, group[0]) {
				return false
			}
			group = group[1:]
			b.places.runs = 0 // they were of the runs after it
		}
	}
	return true
}

// loadRuns reads runs into the batch, until one does not fit or its records were not looked up.
func (b *batchLoader) loadRuns(ctx context.Context, group []*runReader) (rest []*runReader, full bool, err error) {
	var differing []*runReader
	err = b.c.from.View(ctx, func(tx *tracker.Tx) (err error) {
		for known := min(b.usePlaces(tx, group), len(group)); known > 0; known-- {
			w := group[0]
			if full, err = b.loadRun(ctx, tx, w); full || err != nil {
				return err
			}
			if w.isDifferent() {
				differing = append(differing, w)
			}
			group = group[1:]
			b.places.runs--
		}
		return ctx.Err()
	})
	if err == nil {
		err = b.c.locateDifferences(ctx, differing)
	}
	return group, full, err
}

// usePlaces gives the transaction the places of the records of the next runs, and returns the number of these
// runs. It ignores errors: reading the run reports them.
func (b *batchLoader) usePlaces(tx *tracker.Tx, group []*runReader) int {
	revision, err := tx.Revision()
	if err != nil || revision != b.places.revision || b.places.runs <= 0 {
		b.places.revision, b.places.runs = revision, 0
		_ = b.c.from.RecoverDamage(func() error { b.places.lookUp(tx, group); return nil })
	}
	tx.Rows().UsePlaces(b.places.of)
	return max(b.places.runs, 1)
}

// loadRun reads a run. If the run does not fit, it restores the reader and reports that the batch
// is full.
func (b *batchLoader) loadRun(ctx context.Context, tx *tracker.Tx, w *runReader) (full bool, err error) {
	s := b.batch
	if w.err != nil {
		s.ended = append(s.ended, w)
		return false, nil
	}
	start, records := *w, len(s.records)
	var p *segment
	err = b.c.catchRunError(w, func() (err error) { p, err = w.nextSegment(ctx, tx, s); return err })
	switch {
	case err != nil:
		return false, err
	case w.err != nil:
		s.truncateRecords(records)
		s.ended = append(s.ended, w)
	case !p.last, w.metadata.size+rows.RunBytes > p.limit:
		s.truncateRecords(records)
		*w = start
		return true, nil
	case p.isEmpty() && w.nothingNew:
		s.ended = append(s.ended, w)
	default:
		s.add(p)
	}
	return false, nil
}

// loadInPieces reads a run that is longer than a batch twice: first to verify all of it, then to
// write it.
func (b *batchLoader) loadInPieces(ctx context.Context, w *runReader) bool {
	start := *w
	for _, proved := range []bool{false, true} {
		*w = start
		for last := false; !last; {
			s, err := b.loadPiece(ctx, w)
			last = w.err != nil || len(s.segments) > 0 && s.segments[0].last
			if (err != nil || proved || w.err != nil) && !b.yield(s, err) || err != nil {
				return false
			}
		}
		if w.err != nil {
			return true
		}
	}
	return true
}

// loadPiece returns the next part of a run, verified.
func (b *batchLoader) loadPiece(ctx context.Context, w *runReader) (*batch, error) {
	s := newBatch(b.c.sizer.Limit())
	err := b.c.from.View(ctx, func(tx *tracker.Tx) error {
		return b.c.catchRunError(w, func() error {
			p, err := w.nextSegment(ctx, tx, s)
			if err == nil {
				s.add(p)
			}
			return err
		})
	})
	if err == nil && w.isDifferent() {
		err = b.c.locateDifferences(ctx, []*runReader{w})
	}
	if w.err != nil {
		s.ended = append(s.ended, w)
		return s, err
	}
	if err == nil {
		err = b.c.verifyBatch(ctx, s)
	}
	return s, err
}

// verifyBatch verifies the names and kinds of all records of a batch, and removes the runs with an invalid one.
func (c *copier) verifyBatch(ctx context.Context, s *batch) error {
	packer, err := c.from.Codec()
	if err != nil {
		return err
	}
	made, errs, err := c.verifier.Verify(ctx, packer, s.records)
	if err != nil {
		return err
	}
	valid := s.segments[:0]
	for _, p := range s.segments {
		if p.reader.err = p.firstError(made, errs, s); p.reader.err != nil {
			s.ended = append(s.ended, p.reader)
		} else {
			valid = append(valid, p)
		}
	}
	s.segments = valid
	return nil
}

// prefetch yields the elements of seq, and produces the next one in a goroutine while the caller processes the
// last one. The goroutine ends with the loop.
func prefetch[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	type step struct {
		v   T
		err error
	}
	return func(yield func(T, error) bool) {
		next, quit := make(chan step), make(chan struct{})
		var ended sync.WaitGroup
		defer ended.Wait()
		defer close(quit)
		ended.Go(func() {
			defer close(next)
			for v, err := range seq {
				select {
				case next <- step{v, err}:
				case <-quit:
					return
				}
			}
		})
		for s := range next {
			if !yield(s.v, s.err) {
				return
			}
		}
	}
}

// readLinks returns the links of all iterations of the run, in order.
func readLinks(t *tracker.Tx, id schema.Digest) (links []schema.Digest, err error) {
	for key, row := range t.Rows().WithPrefix(rows.BucketIterations, id[:]) {
		if !bytes.Equal(key, rows.PartKey(id, len(links))) {
			return links, storeerr.Damaged("run %s: iteration %d is missing", id, len(links))
		}
		link, err := rows.DecodeLink(key, row)
		if err != nil {
			return links, err
		}
		links = append(links, link)
	}
	return links, t.Rows().CheckMisplaced(rows.BucketIterations, id[:])
}

// prunedRecords returns the pruned records of the run's iterations.
func prunedRecords(t *tracker.Tx, id schema.Digest) (names map[schema.Digest]bool, err error) {
	names = map[schema.Digest]bool{}
	its, err := t.ReadIterations(id)
	for _, it := range its {
		for _, e := range it.Records {
			if t.IsPruned(e.Name) {
				names[e.Name] = true
			}
		}
	}
	return names, err
}
