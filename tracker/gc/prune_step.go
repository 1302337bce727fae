package gc

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// runTx runs fn in a transaction. If fn returns [errUnchanged], no byte of the file changes.
func (p *pruner) runTx(ctx context.Context, fn func(*tracker.Tx) error) error {
	transact := p.store.Update
	if p.dryRetentions != nil {
		transact = p.store.View
	}
	if err := transact(ctx, fn); err != errUnchanged {
		return err
	}
	return nil
}

// run runs all remaining steps.
func (p *pruner) run(ctx context.Context) error {
	for !p.isDone() {
		if err := p.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// isDone reports whether all runs were pruned.
func (p *pruner) isDone() bool { return p.runIndex == len(p.runs) && p.batch == nil }

// step collects the next records, or drops some of the collected ones.
func (p *pruner) step(ctx context.Context) error {
	if p.batch == nil {
		at, k, entry := p.runIndex, p.k, p.entry
		b := &pruneBatch{pruner: p, uses: map[schema.Digest]recordUse{}, leaving: map[schema.Digest][]uint64{}}
		if err := p.store.View(ctx, b.fill); err != nil {
			p.runIndex, p.k, p.entry = at, k, entry
			return err
		}
		b.addCounts()
		p.batch = b
	}
	if p.dryRetentions == nil {
		if err := p.batch.pruneNext(ctx); err != nil {
			return err
		}
		p.batch.skipRetained()
	}
	if p.dryRetentions != nil || len(p.batch.names) == 0 {
		p.batch = nil
	}
	return nil
}

// fill collects records that the retentions of their runs allow to drop, and determines how other rows use
// them. In a dry run it counts them as dropped.
func (p *pruneBatch) fill(tx *tracker.Tx) error {
	p.refs = references{tx: tx, overrides: p.dryRetentions}
	for p.runIndex < len(p.pruner.runs) && p.size < portion.Staged {
		if err := p.gatherIteration(p); err != nil {
			return err
		}
	}
	if err := p.classify(tx); err != nil || p.dryRetentions == nil {
		return err
	}
	already := p.counts
	err := p.pruneFirst(tx, len(p.names))
	for r, n := range already {
		p.countsFor(r).Already += n.Already
	}
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return err
}

// gatherIteration adds the records of one iteration, or as many as fit.
func (p *pruner) gatherIteration(b *pruneBatch) error {
	r, tx := p.runs[p.runIndex], b.refs.tx // p.runs is the pruner's list, not the batch's
	if p.checkLease(tx, r); r.Err != nil {
		p.nextRun()
		return nil
	}
	done, _, err := tx.ReadHead(r.Run)
	if err != nil {
		return err
	}
	if p.k >= done {
		p.nextRun()
		return nil
	}
	it, err := tx.ReadIteration(r.Run, p.k)
	if err != nil {
		return err
	}
	rule, err := b.refs.ruleFor(r.Run)
	if err != nil {
		return err
	}
	r.Unfinished = rule.unfinished
	for ; p.entry < len(it.Records); p.entry++ {
		if b.size >= portion.Staged {
			return nil
		}
		b.addCandidate(r, rule, it.Records[p.entry])
	}
	p.k, p.entry = p.k+1, 0
	return nil
}

func (p *pruner) nextRun() { p.runIndex, p.k, p.entry = p.runIndex+1, 0, 0 }
