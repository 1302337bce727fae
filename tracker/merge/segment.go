package merge

import (
	"bytes"
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A segment is what one transaction writes of one run: iterations with their records or, of an iteration that
// is too large, some of its records in advance.
type segment struct {
	*runReader
	first      int           // number of the first of iterations, or of the iteration of the records
	before     schema.Digest // link of the iteration before first, or zero
	iterations []tracker.FinishedIteration
	records    []listedRecord
	listed     map[schema.Entry]bool // the entries of records
	pruned     []schema.Digest       // records that are pruned in the source
	delivered  []schema.Digest       // records of iterations that earlier segments have written
	size       int64                 // approximate, in bytes
	last       bool                  // this is the run's last segment

	written CopiedRun // the result after the transaction
}

type listedRecord struct {
	k int
	verify.Record
}

func (s *segment) isEmpty() bool {
	return len(s.iterations) == 0 && len(s.records) == 0 && len(s.pruned) == 0
}

// end returns the number of iterations of the run including those of the segment.
func (s *segment) end() int { return s.first + len(s.iterations) }

// next reads the run's next segment, of about limit bytes beyond its metadata.
func (r *runReader) next(ctx context.Context, tx *tracker.Tx, limit int64) (*segment, error) {
	s := &segment{runReader: r, size: r.metadata.size + rows.RunBytes, listed: map[schema.Entry]bool{}}
	for limit += s.size; r.k < r.done && s.size < limit && ctx.Err() == nil; {
		if err := s.readIteration(tx, limit); err != nil {
			return s, err
		}
	}
	s.first, s.last = r.k-len(s.iterations), r.k == r.done
	if len(s.iterations) == 0 {
		s.before = r.link
	}
	if s.last {
		if _, err := r.run.PreviousLink(r.k, r.link); err != nil { // of a fork without iterations of its own
			return s, refusedError(r.k, nil, err)
		}
	}
	return s, ctx.Err()
}

// readIteration reads iteration k, or as many of its records as fit.
func (s *segment) readIteration(tx *tracker.Tx, limit int64) error {
	it, err := tx.ReadIteration(s.run.ID, s.k)
	if err == nil {
		err = s.run.VerifyLink(s.k, s.link, it)
	}
	if err != nil {
		return refusedError(s.k, nil, err)
	}
	known := s.k < len(s.ourLinks)
	if known && it.Link != s.ourLinks[s.k] {
		return &runError{outcome: OutcomeDiffers, k: s.k, theirs: it.Records,
			err: errors.New("the target has another link")}
	}
	delivered := it.Records[:s.entry]
	for ; s.entry < len(it.Records); s.entry++ {
		e := it.Records[s.entry]
		if known && (s.ourLacks[e.Name] == nil || tx.Rows().IsPruned(e.Name)) {
			continue // the target has it, or neither store does
		}
		if s.size >= limit {
			return nil
		}
		if err := s.readRecord(tx, e); err != nil {
			return refusedError(s.k, &e, err)
		}
	}
	if !known {
		cost, err := tx.ReadCost(s.run.ID, s.k)
		if err != nil {
			return refusedError(s.k, nil, err)
		}
		if len(s.iterations) == 0 {
			s.before = s.link
		}
		for _, e := range delivered {
			s.delivered = append(s.delivered, e.Name)
		}
		s.iterations = append(s.iterations, tracker.FinishedIteration{K: s.k, Iteration: it, Cost: cost})
		s.size += int64(len(tx.Rows().Bucket(rows.BucketCosts).Get(rows.PartKey(s.run.ID, s.k)))) + rows.RowBytes
	}
	s.position = position{k: s.k + 1, link: it.Link}
	return nil
}

// readRecord adds a record in its stored form, unless the segment already has it, or that it was pruned in the source.
func (s *segment) readRecord(tx *tracker.Tx, e schema.Entry) error {
	s.size += rows.EntryBytes
	if s.listed[e] {
		return nil
	}
	stored, err := tx.Rows().ReadStored(e.Name)
	switch {
	case errors.Is(err, tracker.ErrPruned) && !s.run.IsPrunable(s.k, e.Kind):
		return storeerr.Damaged("it is pruned, but records of its kind never are")
	case errors.Is(err, tracker.ErrPruned):
		s.pruned = append(s.pruned, e.Name)
		return nil
	case err != nil:
		return err
	}
	s.listed[e] = true
	s.records = append(s.records, listedRecord{s.k, verify.Record{Entry: e, Stored: bytes.Clone(stored)}})
	s.size += int64(len(stored)) + tracker.RowCost
	return nil
}

// firstError returns the error of the first invalid record, given what was verified of each.
func (s *segment) firstError(made []verify.Verified) error {
	for i, r := range s.records {
		if made[i].Err != nil {
			return refusedError(r.k, &r.Entry, made[i].Err)
		}
		if s.checkShape == nil {
			continue
		}
		if err := s.checkShape(r.k, r.Entry.Kind, made[i].Shape); err != nil {
			return &runError{outcome: OutcomeRefused, k: r.k, entry: &r.Entry, err: err, misfit: true}
		}
	}
	return nil
}
