package tracker

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// batch is what a pruner looks at in one go: records of runs that may go. What all rows
// of the store make of them is found out while others read; then they are dropped in
// short transactions. Where somebody writes in between, it is found out again.
type batch struct {
	*pruner
	ledger ledger
	names  []schema.Digest // in the order in which they are listed
	runs   []*PrunedRun    // by name, of which run
	stored []int64         // by name, bytes
	uses   map[schema.Digest]use
	size   int64
	seen   snapshot                  // in which uses are what they are
	counts map[*PrunedRun]*PrunedRun // what a transaction adds to a run's
}

func (b *batch) count(r *PrunedRun) *PrunedRun {
	if b.counts == nil {
		b.counts = map[*PrunedRun]*PrunedRun{}
	}
	if b.counts[r] == nil {
		b.counts[r] = &PrunedRun{}
	}
	return b.counts[r]
}

// settle adds what a transaction has counted.
func (b *batch) settle() {
	for r, n := range b.counts {
		r.Records, r.Bytes, r.Already = r.Records+n.Records, r.Bytes+n.Bytes, r.Already+n.Already
	}
	b.counts = nil
}

// look counts a record that is gone, and adds one that may go.
func (b *batch) look(r *PrunedRun, e schema.Entry, mayGo bool) {
	b.size += entrySize
	tx := b.ledger.tx
	if tx.IsPruned(e.Name) {
		b.count(r).Already++
	}
	if _, had := b.uses[e.Name]; had || !mayGo || !tx.HasRecord(e.Name) {
		return
	}
	stored := int64(0)
	if record, err := tx.stored(e.Name); err == nil {
		stored = int64(len(record))
	}
	b.uses[e.Name] = unused
	b.names, b.runs, b.stored = append(b.names, e.Name), append(b.runs, r), append(b.stored, stored)
	b.size += stored
}

// weigh finds out what all rows make of the records that are left.
func (b *batch) weigh(tx *Tx) (err error) {
	b.ledger = ledger{tx: tx, instead: b.dry}
	b.uses = map[schema.Digest]use{}
	for _, name := range b.names {
		b.uses[name] = unused
	}
	if err = b.ledger.weigh(b.uses); err == nil {
		b.seen, err = tx.snapshot()
	}
	return err
}

// skip goes past records at the front that nobody is to drop.
func (b *batch) skip() {
	n := 0
	for n < len(b.names) && (b.uses[b.names[n]] != named || b.dropped[b.names[n]]) {
		n++
	}
	b.pass(n)
}

func (b *batch) pass(n int) { b.names, b.runs, b.stored = b.names[n:], b.runs[n:], b.stored[n:] }

// advance drops some records in one transaction, if any are to be dropped.
func (b *batch) advance(ctx context.Context) error {
	for changed := 0; ; changed++ {
		if b.skip(); len(b.names) == 0 {
			return nil
		}
		n, size := 0, int64(0)
		for n < len(b.names) && size < b.pace.limit() {
			size += b.stored[n] + 2*rowWeight
			n++
		}
		err := b.pace.update(ctx, b.store, size, func(tx *Tx) error {
			same, err := b.seen.isOf(tx)
			if err == nil && !same && changed < maxChanged {
				return errChanged
			}
			if err == nil && !same {
				err = b.weigh(tx)
			}
			if err == nil {
				err = b.drop(tx, n)
			}
			return err
		})
		switch {
		case err == nil:
			b.seen = b.seen.committed()
		case errors.Is(err, errChanged):
			if err := b.store.View(ctx, b.weigh); err != nil {
				return err
			}
			continue
		case !errors.Is(err, errUnchanged):
			b.counts = nil
			return err
		}
		b.settle()
		b.pass(n)
		return nil
	}
}

// drop prunes what nothing keeps of the first n records, but not of runs that a living
// process works on by now.
func (b *batch) drop(tx *Tx, n int) error {
	b.counts = nil
	changed, looked := false, map[*PrunedRun]bool{}
	for i, name := range b.names[:n] {
		r := b.runs[i]
		if !looked[r] {
			looked[r] = true
			b.leave(tx, r)
		}
		if b.uses[name] != named || b.dropped[name] || r.Err != nil {
			continue
		}
		stored, err := b.dropOne(tx, name)
		if err != nil {
			return err
		}
		changed = true
		b.count(r).Records++
		b.count(r).Bytes += stored
	}
	if !changed {
		return errUnchanged
	}
	return nil
}

func (b *batch) dropOne(tx *Tx, name schema.Digest) (stored int64, err error) {
	if b.dry == nil {
		return tx.entomb(name)
	}
	b.dropped[name] = true
	_, stored, err = tx.RecordSizes(name)
	if errors.Is(err, ErrDamaged) {
		err = nil // which keeps nobody from dropping it
	}
	return stored, err
}
