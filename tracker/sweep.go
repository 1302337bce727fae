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

func (p *pruner) done() bool { return p.at == len(p.runs) }

// advance is one transaction.
func (p *pruner) advance(ctx context.Context) error {
	at, k, entry := p.at, p.k, p.entry
	b := &batch{uses: map[schema.Digest]use{}}
	if err := p.transact(ctx, func(tx *Tx) error { return p.step(tx, b) }); err != nil {
		p.at, p.k, p.entry = at, k, entry
		return err
	}
	for r, n := range b.counts {
		r.Records, r.Bytes, r.Already = r.Records+n.Records, r.Bytes+n.Bytes, r.Already+n.Already
	}
	return nil
}

// step is a transaction. What is to go is found by the runs' own rows, and stays
// if any other row of the store keeps it.
func (p *pruner) step(tx *Tx, b *batch) error {
	b.ledger = ledger{tx: tx, instead: p.dry}
	for p.at < len(p.runs) && b.size < maxStaged {
		if err := p.gather(b); err != nil {
			return err
		}
	}
	if err := b.ledger.weigh(b.uses); err != nil {
		return err
	}
	changed, err := p.drop(b)
	if err == nil && !changed {
		err = errUnchanged
	}
	return err
}

// gather goes past one iteration, or as many of its records as there is room for.
func (p *pruner) gather(b *batch) error {
	r, tx := p.runs[p.at], b.ledger.tx
	if p.leave(tx, r); r.Err != nil {
		p.next()
		return nil
	}
	done, _, err := tx.Head(r.Run)
	if err != nil {
		return err
	}
	if p.k >= done {
		p.next()
		return nil
	}
	it, err := tx.Iteration(r.Run, p.k)
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

// drop prunes what nothing keeps, and reports whether there was anything.
func (p *pruner) drop(b *batch) (changed bool, err error) {
	for i, name := range b.names {
		if b.uses[name] != named || p.seen[name] {
			continue
		}
		stored, err := p.dropOne(b.ledger.tx, name)
		if err != nil {
			return changed, err
		}
		changed = true
		b.count(b.runs[i]).Records++
		b.count(b.runs[i]).Bytes += stored
	}
	return changed, nil
}

func (p *pruner) dropOne(tx *Tx, name schema.Digest) (stored int64, err error) {
	if p.dry == nil {
		return tx.entomb(name)
	}
	p.seen[name] = true
	_, stored, err = tx.Sizes(name)
	if errors.Is(err, ErrDamaged) {
		err = nil // which keeps nobody from dropping it
	}
	return stored, err
}

// same says whether two say the same; nil is everything.
func (k Keep) same(other *Keep) bool {
	if other == nil {
		return k.Everything()
	}
	return k.Last == other.Last && slices.Equal(k.Kinds, other.Kinds)
}
