package gc

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

func (p *pruneBatch) countsFor(r *PrunedRun) *PrunedRun {
	if p.counts == nil {
		p.counts = map[*PrunedRun]*PrunedRun{}
	}
	if p.counts[r] == nil {
		p.counts[r] = &PrunedRun{}
	}
	return p.counts[r]
}

// addCounts adds the counts of a transaction to the report.
func (p *pruneBatch) addCounts() {
	for r, n := range p.counts {
		r.Records, r.Bytes, r.Already = r.Records+n.Records, r.Bytes+n.Bytes, r.Already+n.Already
	}
	p.counts = nil
}

// addCandidate adds a record of an iteration if it may be dropped, and counts one that is pruned already.
func (p *pruneBatch) addCandidate(r *PrunedRun, rule retentionRule, e schema.Entry) {
	p.size += rows.EntryBytes
	tx := p.refs.tx
	if p.dropped.Has(e.Name[:]) {
		return // it counts for the run that listed it first
	}
	if tx.IsPruned(e.Name) {
		p.countsFor(r).Already++
	}
	if rule.retains(p.k, e.Kind) || !tx.HasRecord(e.Name) {
		return
	}
	if owners := tx.Rows().OwnersOf(e.Name); len(owners) == 0 || slices.Contains(owners, rule.number) {
		p.leaving[e.Name] = append(p.leaving[e.Name], rule.number)
	}
	if _, had := p.uses[e.Name]; had {
		return
	}
	stored := int64(0)
	if record, err := tx.Rows().ReadStored(e.Name); err == nil {
		stored = int64(len(record))
	}
	p.uses[e.Name] = unreferenced
	p.names, p.runs, p.stored = append(p.names, e.Name), append(p.runs, r), append(p.stored, stored)
	p.size += stored
}

// classify determines how all rows use the remaining records.
func (p *pruneBatch) classify(tx *tracker.Tx) (err error) {
	p.refs = references{tx: tx, overrides: p.dryRetentions}
	p.uses = map[schema.Digest]recordUse{}
	for _, name := range p.names {
		p.uses[name] = unreferenced
	}
	if err = p.refs.classify(p.uses); err == nil {
		p.snapshot, err = takeSnapshot(tx)
	}
	return err
}

// skipRetained removes leading records of which nothing changes.
func (p *pruneBatch) skipRetained() {
	n := 0
	for n < len(p.names) && p.uses[p.names[n]] != referenced && !p.isLeft(p.names[n]) {
		n++
	}
	p.discard(n)
}

// isLeft reports whether the index must note that pruned runs no longer retain a record, which others do for a while.
func (p *pruneBatch) isLeft(name schema.Digest) bool {
	return p.uses[name] == retained && len(p.leaving[name]) > 0 && p.dryRetentions == nil
}

func (p *pruneBatch) discard(n int) {
	p.names, p.runs, p.stored = p.names[n:], p.runs[n:], p.stored[n:]
}

// pruneNext drops some records in one transaction, if any are left.
func (p *pruneBatch) pruneNext(ctx context.Context) error {
	for changed := 0; ; changed++ {
		if p.skipRetained(); len(p.names) == 0 {
			return nil
		}
		n, size := 0, int64(0)
		for n < len(p.names) && size < p.sizer.Limit() {
			size += p.stored[n] + 2*tracker.RowCost
			n++
		}
		err := p.sizer.Update(ctx, p.store, size, func(tx *tracker.Tx) error {
			same, err := p.snapshot.matches(tx)
			if err == nil && !same && changed < maxStaleRetries {
				return errStale
			}
			if err == nil && !same {
				err = p.classify(tx)
			}
			if err == nil {
				err = p.pruneFirst(tx, n)
			}
			return err
		})
		switch {
		case err == nil:
			p.snapshot = p.snapshot.afterCommit()
		case errors.Is(err, errStale):
			if err := p.store.View(ctx, p.classify); err != nil {
				return err
			}
			continue
		case !errors.Is(err, errUnchanged):
			p.counts = nil
			return err
		}
		p.addCounts()
		p.discard(n)
		return nil
	}
}

// pruneFirst drops those of the first n records that nothing retains, except those of runs that a
// living process has begun to work on. It notes which runs have left others.
func (p *pruneBatch) pruneFirst(tx *tracker.Tx, n int) error {
	p.counts = nil
	changed, looked := false, map[*PrunedRun]bool{}
	for i, name := range p.names[:n] {
		r := p.runs[i]
		if !looked[r] {
			looked[r] = true
			p.checkLease(tx, r)
		}
		switch {
		case r.Err != nil:
			continue
		case p.isLeft(name):
			changed = true
			for _, run := range p.leaving[name] {
				leave(tx, name, run, retained)
			}
			continue
		case p.uses[name] != referenced:
			continue
		}
		stored, err := p.pruneRecord(tx, name)
		if err != nil {
			return err
		}
		changed = true
		p.dropped.Add(name)
		p.countsFor(r).Records++
		p.countsFor(r).Bytes += stored
	}
	if !changed {
		return errUnchanged
	}
	return nil
}

func (p *pruneBatch) pruneRecord(tx *tracker.Tx, name schema.Digest) (stored int64, err error) {
	if p.dryRetentions == nil {
		return tx.Rows().PutTombstone(name)
	}
	_, stored, err = tx.RecordSizes(name)
	if errors.Is(err, tracker.ErrDamaged) {
		err = nil // a damaged record can be dropped too
	}
	return stored, err
}
