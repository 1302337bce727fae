package tracker

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// errUnchanged ends a transaction that has nothing to commit.
var errUnchanged = errors.New("nothing to change")

// transact runs fn, which may find nothing to change: then the file stays as it
// is, to the byte.
func (p *pruner) transact(ctx context.Context, fn func(*Tx) error) error {
	transact := p.store.Update
	if p.dry != nil {
		transact = p.store.View
	}
	if err := transact(ctx, fn); err != errUnchanged {
		return err
	}
	return nil
}

// sweep drops what is not kept, transaction after transaction.
func (p *pruner) sweep(ctx context.Context) error {
	for !p.done() {
		if err := p.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruner) done() bool { return p.at == len(p.runs) && p.under == nil }

// advance looks at the next records, or drops some of those that it has looked at.
func (p *pruner) advance(ctx context.Context) error {
	if p.under == nil {
		at, k, entry := p.at, p.k, p.entry
		b := &batch{pruner: p, uses: map[schema.Digest]use{}}
		if err := p.store.View(ctx, b.lookAhead); err != nil {
			p.at, p.k, p.entry = at, k, entry
			return err
		}
		b.settle()
		p.under = b
	}
	if p.dry == nil {
		if err := p.under.advance(ctx); err != nil {
			return err
		}
		p.under.skip()
	}
	if p.dry != nil || len(p.under.names) == 0 {
		p.under = nil
	}
	return nil
}

// lookAhead finds records that may go by the runs' own rows, and what any other row of
// the store makes of them. A dry run drops them there and then.
func (b *batch) lookAhead(tx *Tx) error {
	b.ledger = ledger{tx: tx, instead: b.dry}
	for b.at < len(b.pruner.runs) && b.size < maxStaged {
		if err := b.gather(b); err != nil {
			return err
		}
	}
	if err := b.weigh(tx); err != nil || b.dry == nil {
		return err
	}
	already := b.counts
	err := b.drop(tx, len(b.names))
	for r, n := range already {
		b.count(r).Already += n.Already
	}
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return err
}

// gather goes past one iteration, or as many of its records as there is room for.
func (p *pruner) gather(b *batch) error {
	r, tx := p.runs[p.at], b.ledger.tx // of the pruner, not of the batch
	if p.leave(tx, r); r.Err != nil {
		p.next()
		return nil
	}
	done, _, err := tx.ReadHead(r.Run)
	if err != nil {
		return err
	}
	if p.k >= done {
		p.next()
		return nil
	}
	it, err := tx.ReadIteration(r.Run, p.k)
	if err != nil {
		return err
	}
	rule, err := b.ledger.rule(r.Run)
	if err != nil {
		return err
	}
	r.Unfinished = rule.unfinished
	for ; p.entry < len(it.Records); p.entry++ {
		if b.size >= maxStaged {
			return nil
		}
		b.look(r, it.Records[p.entry], !rule.keeps(p.k, it.Records[p.entry].Kind))
	}
	p.k, p.entry = p.k+1, 0
	return nil
}

func (p *pruner) next() { p.at, p.k, p.entry = p.at+1, 0, 0 }

// same says whether two say the same; nil is everything.
func (k Retention) same(other *Retention) bool {
	if other == nil {
		return k.KeepsEverything()
	}
	return k.Last == other.Last && slices.Equal(k.Kinds, other.Kinds)
}
