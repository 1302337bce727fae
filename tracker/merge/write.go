package merge

import (
	"context"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/tracker"
)

// writeBatch writes a batch in one transaction. A run that cannot be written does not affect the
// others.
func (c *copier) writeBatch(ctx context.Context, s *batch) error {
	if len(s.segments) > 0 {
		if err := c.sizer.Update(ctx, c.to, s.size, s.apply); err != nil {
			return err
		}
	}
	for _, p := range s.segments {
		if err := c.noteWritten(p); err != nil {
			return err
		}
	}
	for _, w := range s.ended {
		if err := w.finish(); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) apply(tx *tracker.Tx) error {
	tx.Rows().UsePlaces(tx.Rows().LookUp(slices.Collect(maps.Keys(b.index))))
	for _, p := range b.segments {
		if p.reader.result.settled {
			continue // an earlier segment could not be written
		}
		if p.err = p.checkUnchanged(tx); p.err != nil {
			continue
		}
		if err := p.apply(tx, b); err != nil {
			return err
		}
	}
	return nil
}

// noteWritten adds the written segment to the report.
func (c *copier) noteWritten(p *segment) error {
	r := p.reader.result
	if r.settled {
		return nil
	}
	c.records += p.added
	c.bytes += p.addedBytes
	r.Restored += p.restored
	r.Healed += p.healed
	c.healed += p.healed
	if p.err != nil {
		return r.setOutcome(p.err)
	}
	r.Name, r.Dropped, r.settled = p.merged.Name, p.merged.dropped, p.last
	r.To = max(p.done, p.end())
	switch {
	case p.isNew || r.Outcome == OutcomeNew:
		r.Outcome = OutcomeNew
	case r.To > r.From:
		r.Outcome = OutcomeCompleted
	default:
		r.Outcome = OutcomePresent
	}
	return nil
}

// finish sets the outcome of a run of which nothing more is written: it is invalid, or the target has all of
// it.
func (r *runReader) finish() error {
	switch {
	case r.result.settled:
		return nil
	case r.err != nil:
		return r.result.setOutcome(r.err)
	}
	r.result.Outcome, r.result.To, r.result.settled = OutcomePresent, r.result.From, true
	return nil
}
