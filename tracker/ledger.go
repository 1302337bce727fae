package tracker

import (
	"iter"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// use is what the rows of a store make of a record.
type use uint8

const (
	unused use = iota
	named      // by an iteration of which it is not kept
	kept
)

// rule is what a [Retention] means for a run as it stands.
type rule struct {
	everything bool
	run        Run
	kinds      []schema.Kind
	whole      int  // iterations from this one on stay whole
	unfinished bool // what the run needs to go on is kept too
}

func (r rule) keeps(k int, kind schema.Kind) bool {
	return r.everything || k >= r.whole || slices.Contains(r.kinds, keptAs(kind)) || !r.run.prunable(k, kind)
}

// ledger says of records which rows name them, and which of those keep them. It
// is for one transaction in which no row of a run changes.
type ledger struct {
	tx      *Tx
	instead map[schema.Digest]Retention // of rows, where a dry run asks what would be
	without map[schema.Digest]bool      // runs that do not count
	id      schema.Digest               // of the run whose rule was last asked for
	last    *rule
}

// rule is that of a run.
func (l *ledger) rule(id schema.Digest) (rule, error) {
	if l.last != nil && l.id == id {
		return *l.last, nil
	}
	r, err := l.read(id)
	if err == nil {
		l.id, l.last = id, &r
	}
	return r, err
}

func (l *ledger) read(id schema.Digest) (r rule, err error) {
	keep, ok := l.instead[id]
	if !ok {
		row, err := l.tx.ReadRetention(id)
		if row == nil || err != nil {
			return rule{everything: true}, err
		}
		keep = *row
	}
	if r.run, err = l.tx.ReadRun(id); err != nil {
		return r, err
	}
	a, err := l.tx.ReadAnnotation(id)
	if err != nil {
		return r, err
	}
	done, _, err := l.tx.ReadHead(id)
	if err != nil {
		return r, err
	}
	r.unfinished = done < a.Target
	if r.unfinished {
		keep = keep.unfinished(r.run.Gathers())
	}
	r.everything, r.kinds, r.whole = keep.KeepsEverything(), keep.Kinds, done-keep.Last
	return r, nil
}

// weigh sets what all rows of the store make of the records. A row that cannot be
// read might name anything, and is an error.
func (l *ledger) weigh(uses map[schema.Digest]use) error {
	for name := range uses {
		uses[name] = unused
	}
	if len(uses) == 0 {
		return nil
	}
	for key, row := range l.counted(bucketIterations) {
		it, err := decodeIteration(key, row)
		if err != nil {
			return err
		}
		if err := l.weighIteration(uses, key, it); err != nil {
			return err
		}
	}
	for key, row := range l.counted(bucketCheckpoints) {
		c, err := decodeCheckpoint(key, row)
		if err != nil {
			return err
		}
		for _, e := range c.Records {
			heighten(uses, e.Name, kept)
		}
	}
	for key, row := range l.counted(bucketEvaluations) {
		e, err := decodeEvaluated(key, row)
		if err != nil {
			return err
		}
		heighten(uses, e.Record, kept)
	}
	return nil
}

// counted are the rows of a bucket but those of runs that do not count.
func (l *ledger) counted(bucket string) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, row []byte) bool) {
		for key, row := range l.tx.within(bucket, nil) {
			if len(key) >= len(l.id) && l.without[schema.Digest(key[:len(l.id)])] {
				continue
			}
			if !yield(key, row) {
				return
			}
		}
	}
}

func (l *ledger) weighIteration(uses map[schema.Digest]use, key []byte, it schema.Iteration) error {
	k, ok := partNumber(key)
	if !ok {
		return damagedRow(bucketIterations, key)
	}
	for _, e := range it.Records {
		if before, asked := uses[e.Name]; !asked || before == kept {
			continue
		}
		r, err := l.rule(schema.Digest(key[:len(l.id)]))
		if err != nil {
			return err
		}
		heighten(uses, e.Name, map[bool]use{true: kept, false: named}[r.keeps(k, e.Kind)])
	}
	return nil
}

// heighten notes a use of a record that was asked for.
func heighten(uses map[schema.Digest]use, name schema.Digest, u use) {
	if before, asked := uses[name]; asked {
		uses[name] = max(before, u)
	}
}
