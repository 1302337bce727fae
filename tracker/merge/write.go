package merge

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// write writes a batch in one transaction. A run that cannot be written does not affect the others.
func (c *copier) write(ctx context.Context, b *batch) error {
	if len(b.segments) > 0 {
		if err := c.to.UpdateSized(ctx, b.size, b.apply); err != nil {
			return err
		}
	}
	for _, s := range b.segments {
		*s.result = s.written
	}
	for _, r := range b.ended {
		if err := c.finish(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// finish sets the outcome of a run of which nothing more is written: it is invalid, or the target has all of it.
func (c *copier) finish(ctx context.Context, r *runReader) error {
	var f *runError
	switch {
	case r.result.settled:
		return nil
	case r.err == nil:
		r.result.Outcome, r.result.To, r.result.settled = OutcomePresent, r.result.From, true
		return nil
	case errors.As(r.err, &f) && f.outcome == OutcomeDiffers:
		err := c.to.View(ctx, func(tx *tracker.Tx) error {
			ours, err := tx.ReadIteration(r.run.ID, f.k)
			if err != nil {
				r.err = refusedHereError(err)
			}
			f.findDifference(ours.Records)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return r.result.setOutcome(r.err)
}

func (b *batch) apply(tx *tracker.Tx) error {
	var names []schema.Digest
	for _, s := range b.segments {
		for _, r := range s.records {
			names = append(names, r.Entry.Name)
		}
	}
	tx.Rows().UsePlaces(tx.Rows().LookUp(names))
	for _, s := range b.segments {
		if s.written = *s.result; s.written.settled {
			continue // an earlier segment could not be written
		}
		ours, err := s.compareNow(tx)
		if err != nil {
			err = s.written.setOutcome(err)
		} else {
			err = s.apply(tx, ours)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A targetState is what a transaction finds of a segment's run in the target.
type targetState struct {
	isNew      bool // the target does not have the run
	leaseStale bool // the target has a stale lease
	done       int  // number of iterations
	lacks      []tracker.FinishedIteration
	merged     mergedMetadata
}

// compareNow verifies that the run has not changed since the segment was read, that no process works on it,
// and that every record that its rows name will exist. Its errors are of the run alone.
func (s *segment) compareNow(tx *tracker.Tx) (ours targetState, err error) {
	id := s.run.ID
	ours.isNew = !tx.Rows().HasRun(id)
	if ours.done, _, err = tx.ReadHead(id); err != nil {
		return ours, refusedHereError(err)
	}
	if ours.done < s.first {
		return ours, changedError(id)
	}
	if ours.leaseStale, err = s.checkLease(tx); err == nil {
		err = s.checkLinks(tx, ours.done)
	}
	if err != nil {
		return ours, err
	}
	ours.lacks = s.iterations[min(ours.done-s.first, len(s.iterations)):]
	if len(ours.lacks) == len(s.iterations) {
		for _, name := range s.delivered {
			if tx.Rows().PlaceOf(name) == nil {
				return ours, changedError(id)
			}
		}
	}
	if ours.merged, err = mergeMetadata(tx, id, s.metadata, s.done > ours.done); err != nil {
		err = refusedHereError(err)
	}
	return ours, err
}

// checkLease reports whether the run has a stale lease. It returns an error if a process works on the run, unless only
// metadata must be written.
func (s *segment) checkLease(tx *tracker.Tx) (stale bool, err error) {
	if s.isEmpty() {
		return false, nil
	}
	l, err := tx.ReadLease(s.run.ID)
	if err != nil {
		return false, refusedHereError(err)
	}
	if err := tx.CheckNotHeld(s.run.ID, l); err != nil {
		return false, &runError{outcome: OutcomeHeld, k: -1, err: err}
	}
	return l != nil, nil
}

// checkLinks verifies that the target, which has done iterations, has the same links for the segment's iterations, and
// for the one before them.
func (s *segment) checkLinks(tx *tracker.Tx, done int) error {
	for k := max(s.first-1, 0); k < min(done, s.end()); k++ {
		it, err := tx.ReadIteration(s.run.ID, k)
		if err != nil {
			return refusedHereError(err)
		}
		link := s.before
		if k >= s.first {
			link = s.iterations[k-s.first].Link
		}
		if it.Link != link {
			return changedError(s.run.ID)
		}
	}
	return nil
}

// apply writes the segment, referents before references. A checkpoint belongs to the first iteration that the
// target lacks, so it is removed when that iteration is written. A stale lease is removed too, so that its
// owner notices if it continues.
func (s *segment) apply(tx *tracker.Tx, ours targetState) error {
	id := s.run.ID
	if ours.isNew {
		if _, err := tx.InsertRun(s.run, ours.merged.Annotation); err != nil {
			return err
		}
		if k := s.metadata.keep; k != nil {
			if err := tx.SetRetention(id, *k); err != nil {
				return err
			}
		}
	}
	if ours.leaseStale {
		if err := tx.Rows().Remove(rows.BucketLeases, id[:]); err != nil {
			return err
		}
	}
	if err := s.putRecords(tx, ours.done > s.end()); err != nil {
		return err
	}
	for _, f := range ours.lacks {
		if err := tx.PutIteration(id, f.K, f.Iteration, f.Cost); err != nil {
			return err
		}
	}
	if len(ours.lacks) > 0 {
		if err := tx.Rows().Remove(rows.BucketCheckpoints, id[:]); err != nil {
			return err
		}
	}
	s.written.noteWritten(ours, s.end(), s.last)
	return putMetadata(tx, id, ours.merged)
}

// putRecords writes the records that the target lacks, and those that are damaged there. late means that another
// process has written the segment's iterations, and more, already.
func (s *segment) putRecords(tx *tracker.Tx, late bool) error {
	for _, r := range s.records {
		place := tx.Rows().PlaceOf(r.Entry.Name)
		wasPruned := rows.IsTombstone(place)
		if r.k < len(s.ourLinks) && s.ourLacks[r.Entry.Name] != nil && !wasPruned {
			healed, err := tx.RestoreStored(r.Entry.Name, r.Stored)
			if err != nil {
				return err
			}
			if healed {
				s.written.Healed++
			}
			continue
		}
		if !wasPruned && (place != nil || late) {
			continue
		}
		if err := tx.Rows().AppendRecord(r.Entry.Name, r.Stored); err != nil {
			return err
		}
		s.written.records++
		s.written.bytes += int64(len(r.Stored))
		if wasPruned {
			s.written.Restored++
		}
	}
	for _, name := range s.pruned {
		if late || tx.Rows().PlaceOf(name) != nil {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}

// noteWritten adds a segment that ends before iteration end to the result.
func (c *CopiedRun) noteWritten(ours targetState, end int, last bool) {
	c.Name, c.Dropped, c.settled = ours.merged.Name, ours.merged.dropped, last
	c.To = max(ours.done, end)
	switch {
	case ours.isNew || c.Outcome == OutcomeNew:
		c.Outcome = OutcomeNew
	case c.To > c.From:
		c.Outcome = OutcomeCompleted
	default:
		c.Outcome = OutcomePresent
	}
}
