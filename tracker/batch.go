package tracker

import "github.com/podtrack/podtrack/schema"

// batch is what one transaction looks at.
type batch struct {
	ledger ledger
	names  []schema.Digest // in the order in which they are listed
	runs   []*PrunedRun    // by name, of which run
	uses   map[schema.Digest]use
	size   int64
	counts map[*PrunedRun]*PrunedRun // what the transaction adds to a run's
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

// look counts a record that is gone, and adds one that may go.
func (b *batch) look(r *PrunedRun, e schema.Entry, mayGo bool) {
	b.size += entrySize
	tx := b.ledger.tx
	if tx.Pruned(e.Name) {
		b.count(r).Already++
	}
	if _, had := b.uses[e.Name]; had || !mayGo || !tx.Has(e.Name) {
		return
	}
	b.uses[e.Name] = unused
	b.names, b.runs = append(b.names, e.Name), append(b.runs, r)
	if stored, err := tx.stored(e.Name); err == nil {
		b.size += int64(len(stored))
	}
}
