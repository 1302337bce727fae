package merge

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/internal/verify"
	"github.com/podtrack/podtrack/tracker/rows"
)

// loadRecord adds a record in its stored form, unless the batch has it.
func (p *segment) loadRecord(tx *tracker.Tx, s *batch, k int, e schema.Entry) error {
	p.size += rows.EntryBytes
	i, found := s.find(e)
	if !found {
		stored, err := tx.Rows().ReadStored(e.Name)
		if errors.Is(err, tracker.ErrPruned) {
			return p.loadTombstone(k, e)
		}
		if err != nil {
			return err
		}
		i = s.putRecord(e, stored)
		p.size += int64(len(stored)) + tracker.RowCost
	}
	if s.owners[i] != p {
		s.owners[i] = p
		p.records = append(p.records, segmentRecord{k: k, i: i})
	}
	return nil
}

// firstError returns the error of the segment's first wrong record. made has a [verify.Verified] for
// each record of the batch, or is nil if only the stored forms were checked.
func (p *segment) firstError(made []verify.Verified, errs []error, s *batch) error {
	for _, r := range p.records {
		entry, err := &s.records[r.i].Entry, errs[r.i]
		if err == nil && made != nil && p.reader.checkShape != nil {
			if err := p.reader.checkShape(r.k, entry.Kind, made[r.i].Shape); err != nil {
				return &runError{outcome: OutcomeRefused, k: r.k, entry: entry, err: err, misfit: true}
			}
		}
		if err != nil {
			return refusedError(r.k, entry, err)
		}
	}
	return nil
}

// loadTombstone adds a record that was pruned in the source. Records that cannot be pruned must not
// be.
func (p *segment) loadTombstone(k int, e schema.Entry) error {
	if !p.reader.run.IsPrunable(k, e.Kind) {
		return storeerr.Damaged("it is pruned, but records of its kind never are")
	}
	p.pruned = append(p.pruned, e.Name)
	return nil
}
