package gc

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

func (b *pruneBatch) countsFor(r *PrunedRun) *PrunedRun {
	if b.counts == nil {
		b.counts = map[*PrunedRun]*PrunedRun{}
	}
	if b.counts[r] == nil {
		b.counts[r] = &PrunedRun{}
	}
	return b.counts[r]
}

// addCounts adds the counts of a transaction to the report.
func (b *pruneBatch) addCounts() {
	for r, n := range b.counts {
		r.Records, r.Bytes, r.Already = r.Records+n.Records, r.Bytes+n.Bytes, r.Already+n.Already
	}
	b.counts = nil
}

// addCandidate counts a record that is pruned already, and adds one that may be dropped.
func (b *pruneBatch) addCandidate(r *PrunedRun, e schema.Entry, mayGo bool) {
	b.size += rows.EntryBytes
	tx := b.refs.tx
	if b.dropped.Has(e.Name[:]) {
		return // it counts for the run that listed it first
	}
	if tx.IsPruned(e.Name) {
		b.countsFor(r).Already++
	}
	if _, had := b.uses[e.Name]; had || !mayGo || !tx.HasRecord(e.Name) {
		return
	}
	stored := int64(0)
	if record, err := tx.Rows().ReadStored(e.Name); err == nil {
		stored = int64(len(record))
	}
	b.uses[e.Name] = unreferenced
	b.names, b.runs, b.stored = append(b.names, e.Name), append(b.runs, r), append(b.stored, stored)
	b.size += stored
}

// classify determines how all rows use the remaining records.
func (b *pruneBatch) classify(tx *tracker.Tx) (err error) {
	b.refs = references{tx: tx, overrides: b.dryRetentions}
	b.uses = map[schema.Digest]recordUse{}
	for _, name := range b.names {
		b.uses[name] = unreferenced
	}
	if err = b.refs.classify(b.uses); err == nil {
		b.snapshot, err = takeSnapshot(tx)
	}
	return err
}

// skipRetained removes records from the front that must not be dropped.
func (b *pruneBatch) skipRetained() {
	n := 0
	for n < len(b.names) && b.uses[b.names[n]] != referenced {
		n++
	}
	b.discard(n)
}

func (b *pruneBatch) discard(n int) {
	b.names, b.runs, b.stored = b.names[n:], b.runs[n:], b.stored[n:]
}

// pruneNext drops some records in one transaction, if there are any.
func (b *pruneBatch) pruneNext(ctx context.Context) error {
	for changed := 0; ; changed++ {
		if b.skipRetained(); len(b.names) == 0 {
			return nil
		}
		n, size := 0, int64(0)
		for n < len(b.names) && size < b.sizer.Limit() {
			size += b.stored[n] + 2*tracker.RowCost
			n++
		}
		err := b.sizer.Update(ctx, b.store, size, func(tx *tracker.Tx) error {
			same, err := b.snapshot.matches(tx)
			if err == nil && !same && changed < maxStaleRetries {
				return errStale
			}
			if err == nil && !same {
				err = b.classify(tx)
			}
			if err == nil {
				err = b.pruneFirst(tx, n)
			}
			return err
		})
		switch {
		case err == nil:
			b.snapshot = b.snapshot.afterCommit()
		case errors.Is(err, errStale):
			if err := b.store.View(ctx, b.classify); err != nil {
				return err
			}
			continue
		case !errors.Is(err, errUnchanged):
			b.counts = nil
			return err
		}
		b.addCounts()
		b.discard(n)
		return nil
	}
}

// pruneFirst drops those of the first n records that nothing retains, except those of runs that a
// living process has begun to work on.
func (b *pruneBatch) pruneFirst(tx *tracker.Tx, n int) error {
	b.counts = nil
	changed, looked := false, map[*PrunedRun]bool{}
	for i, name := range b.names[:n] {
		r := b.runs[i]
		if !looked[r] {
			looked[r] = true
			b.checkLease(tx, r)
		}
		if b.uses[name] != referenced || r.Err != nil {
			continue
		}
		stored, err := b.pruneRecord(tx, name)
		if err != nil {
			return err
		}
		changed = true
		b.dropped.Add(name)
		b.countsFor(r).Records++
		b.countsFor(r).Bytes += stored
	}
	if !changed {
		return errUnchanged
	}
	return nil
}

func (b *pruneBatch) pruneRecord(tx *tracker.Tx, name schema.Digest) (stored int64, err error) {
	if b.dryRetentions == nil {
		return tx.Rows().PutTombstone(name)
	}
	_, stored, err = tx.RecordSizes(name)
	if errors.Is(err, tracker.ErrDamaged) {
		err = nil // a damaged record can be dropped too
	}
	return stored, err
}
