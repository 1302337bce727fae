package merge

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// loadRecord adds a record in its stored form, unless the batch already has it.
func (s *segment) loadRecord(tx *tracker.Tx, b *batch, k int, e schema.Entry) error {
	s.size += rows.EntryBytes
	i, found := b.find(e)
	if !found {
		stored, err := tx.Rows().ReadStored(e.Name)
		if errors.Is(err, tracker.ErrPruned) {
			return s.loadTombstone(k, e)
		}
		if err != nil {
			return err
		}
		i = b.putRecord(e, stored)
		s.size += int64(len(stored)) + tracker.RowCost
	}
	if b.owners[i] != s {
		b.owners[i] = s
		s.records = append(s.records, segmentRecord{k: k, i: i})
	}
	return nil
}

// firstError returns the error of the segment's first invalid record. made has a [verify.Verified] for each
// record of the batch, or is nil if only the stored forms were checked.
func (s *segment) firstError(made []verify.Verified, errs []error, b *batch) error {
	for _, r := range s.records {
		entry, err := &b.records[r.i].Entry, errs[r.i]
		if err == nil && s.reader.checkShape != nil {
			if err := s.reader.checkShape(r.k, entry.Kind, made[r.i].Shape); err != nil {
				return &runError{outcome: OutcomeRefused, k: r.k, entry: entry, err: err, misfit: true}
			}
		}
		if err != nil {
			return refusedError(r.k, entry, err)
		}
	}
	return nil
}

// loadTombstone adds a record that was pruned in the source. It returns an error for a record that cannot be
// pruned.
func (s *segment) loadTombstone(k int, e schema.Entry) error {
	if !s.reader.run.IsPrunable(k, e.Kind) {
		return storeerr.Damaged("it is pruned, but records of its kind never are")
	}
	s.pruned = append(s.pruned, e.Name)
	return nil
}
