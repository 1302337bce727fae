package merge

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A batch is what one transaction of a copy writes: segments of many runs, or one segment of a run that is
// longer than a batch. Digests are random, so nearly every record touches its own page of the index; therefore
// a row counts beyond its bytes, as in [tracker.Store.UpdateSized].
type batch struct {
	segments []*segment
	ended    []*runReader // runs of which nothing more will be written
	size     int64        // approximate size of the segments in bytes
}

func (b *batch) add(s *segment) {
	b.segments = append(b.segments, s)
	b.size += s.size
}

func (b *batch) countFinished() int {
	n := len(b.ended)
	for _, s := range b.segments {
		if s.last {
			n++
		}
	}
	return n
}

// A loader assembles verified batches.
type loader struct {
	*copier
	ctx     context.Context
	batches chan<- *batch
	batch   *batch // the next one

	// The places of records in the source, for some of the next runs of a group.

	places   rows.Places
	located  int    // the number of these runs
	revision string // of the source when they were looked up
}

func (c *copier) load(ctx context.Context, runs []*CopiedRun, batches chan<- *batch) error {
	l := loader{copier: c, ctx: ctx, batches: batches, batch: &batch{}}
	for len(runs) > 0 {
		group, err := c.survey(ctx, runs)
		if err == nil {
			runs = runs[len(group):]
			err = l.loadGroup(group)
		}
		if err != nil {
			return err
		}
	}
	return l.flush()
}

// flush verifies the batch, sends it and begins another one.
func (l *loader) flush() error {
	b := l.batch
	l.batch = &batch{}
	if err := l.verify(b); err != nil {
		return err
	}
	select {
	case l.batches <- b:
		return nil
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
}

// loadGroup loads runs. One that takes more than half of a batch is loaded in pieces.
func (l *loader) loadGroup(group []*runReader) error {
	l.located = 0
	for len(group) > 0 {
		var long *runReader
		err := l.from.View(l.ctx, func(tx *tracker.Tx) error {
			l.locate(tx, group)
			for n := max(l.located, 1); n > 0 && long == nil && l.batch.size < portion.Tx; n-- {
				r := group[0]
				s, err := l.read(tx, r, portion.Tx/2)
				switch {
				case err != nil:
					return err
				case r.err == nil && !s.last:
					long = r
				case r.err == nil && (!s.isEmpty() || !r.nothingNew):
					l.batch.add(s)
				default:
					l.batch.ended = append(l.batch.ended, r)
				}
				group = group[1:]
				l.located--
			}
			return l.ctx.Err()
		})
		if err == nil && (long != nil || len(l.batch.segments) == 0 || l.batch.size >= portion.Tx) {
			err = l.flush()
		}
		if err == nil && long != nil {
			err = l.loadInPieces(long)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads a run's next segment, unless an error has ended the run, or does now.
func (l *loader) read(tx *tracker.Tx, r *runReader, limit int64) (s *segment, err error) {
	if r.err == nil {
		err = l.catchRunError(r, func() (err error) { s, err = r.next(l.ctx, tx, limit); return err })
	}
	return s, err
}

// locate looks up the records of the next runs that the target lacks, about portion.LookedUp of them, unless the
// places of some are known. It ignores errors: reading the run reports them.
func (l *loader) locate(tx *tracker.Tx, group []*runReader) {
	revision, err := tx.Revision()
	if err != nil || revision != l.revision || l.located <= 0 {
		l.revision, l.located, l.places = revision, 0, nil
		_ = l.from.RecoverDamage(func() error {
			var names []schema.Digest
			n := 0
			for ; n < len(group) && len(names) < portion.LookedUp; n++ {
				names = group[n].appendRecordNames(tx, names)
			}
			l.places, l.located = tx.Rows().LookUp(names), n
			return nil
		})
	}
	tx.Rows().UsePlaces(l.places)
}

// appendRecordNames appends the records of iterations that the target lacks, up to about portion.LookedUp. It stops at
// damage.
func (r *runReader) appendRecordNames(tx *tracker.Tx, names []schema.Digest) []schema.Digest {
	for k := max(r.k, len(r.ourLinks)); r.err == nil && k < r.done && len(names) < portion.LookedUp; k++ {
		it, err := tx.ReadIteration(r.run.ID, k)
		if err != nil {
			return names
		}
		for _, e := range it.Records {
			names = append(names, e.Name)
		}
	}
	return names
}

// loadInPieces reads a long run twice: first to verify all of it, then to write it.
func (l *loader) loadInPieces(r *runReader) error {
	for _, proved := range []bool{false, true} {
		r.position = position{}
		for last := false; !last; {
			var s *segment
			err := l.from.View(l.ctx, func(tx *tracker.Tx) (err error) {
				s, err = l.read(tx, r, portion.Tx)
				return err
			})
			if err == nil && r.err == nil {
				last = s.last
				l.batch.add(s)
				err = l.verify(l.batch)
			}
			switch {
			case err != nil:
				return err
			case r.err != nil:
				l.batch = &batch{ended: []*runReader{r}}
				return l.flush()
			case proved:
				err = l.flush()
			}
			if err != nil {
				return err
			}
			l.batch = &batch{}
		}
	}
	return nil
}

// verify verifies the names and kinds of all records of a batch, and removes the runs with an invalid one.
func (l *loader) verify(b *batch) error {
	packer, err := l.from.Codec()
	if err != nil {
		return err
	}
	var records []verify.Record
	for _, s := range b.segments {
		for _, r := range s.records {
			records = append(records, r.Record)
		}
	}
	made, err := l.verifier.Verify(l.ctx, packer, records)
	if err != nil {
		return err
	}
	b.segments = slices.DeleteFunc(b.segments, func(s *segment) bool {
		n := len(s.records)
		if s.err = s.firstError(made[:n]); s.err != nil {
			b.ended = append(b.ended, s.runReader)
		}
		made = made[n:]
		return s.err != nil
	})
	return nil
}
