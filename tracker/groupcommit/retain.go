package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A run that does not keep everything is pruned by its own commits. A commit writes the records that the run retains
// after it, and of others only tombstones. The run owns, in the index, what it retains for a while: its last
// iterations, and what it needs to continue. Several runs can own a record. The commit after which a run no longer
// retains such a record drops it, if the run is the only owner left. So no commit looks at the rows of other runs. A
// record without owners stays, since a run keeps it. If it is not known which runs retain a record, [gc.Prune] decides
// when the Writer is closed.

// putRecords appends the records that the run retains after the commit, in the order in which rows name them, unless
// the store has them, and drops those that the run no longer retains.
func (c *commitUnit) putRecords(tx *tracker.Tx) error {
	if c.r.retention == nil {
		for _, e := range c.entries() {
			if err := c.putRecord(tx, e.Name, 0); err != nil {
				return err
			}
		}
		return nil
	}
	rule, err := c.ruleAfter(tx)
	if err != nil {
		return err
	}
	final := tracker.NewRetentionRule(c.r.run, *c.r.retention, c.end(), false)
	kept := map[schema.Digest]bool{}
	for k, e := range c.entries() {
		if !rule.Retains(k, e.Kind) {
			continue
		}
		owner := c.r.run.Number
		if final.RetainsForEver(k, e.Kind) {
			owner = 0
		}
		if err := c.putRecord(tx, e.Name, owner); err != nil {
			return err
		}
		kept[e.Name] = true
	}
	return c.dropRecords(tx, rule, kept)
}

// putRecord appends a record with an owner, or with none if that is 0. If the store has the record, its owners are
// joined, or lose it.
func (c *commitUnit) putRecord(tx *tracker.Tx, name schema.Digest, owner uint64) error {
	switch {
	case !tx.HasRecord(name):
		return tx.Rows().AppendOwned(name, c.records[name], owner)
	case owner == 0:
		tx.Rows().Keep(name)
	default:
		tx.Rows().AddOwner(name, owner)
	}
	return nil
}

// ruleAfter returns which records the run retains after the commit. Until its end it is unfinished, whatever its
// target: a run without end has reached its own after each iteration.
func (c *commitUnit) ruleAfter(tx *tracker.Tx) (rule tracker.RetentionRule, err error) {
	unfinished := true
	if c.ending != nil {
		a, err := tx.ReadAnnotation(c.r.run.ID)
		if err != nil {
			return rule, err
		}
		unfinished = c.end() < a.Target
	}
	return tracker.NewRetentionRule(c.r.run, *c.r.retention, c.end(), unfinished), nil
}

// dropRecords replaces the records that the run no longer retains by tombstones. It leaves those that other rows of the
// run retain, those of the commit, which are in kept, and earlier ones, and those that other runs own or keep. A record
// that was there before this process, and has no owner, may have come from elsewhere, so that no run keeps it.
func (c *commitUnit) dropRecords(tx *tracker.Tx, rule tracker.RetentionRule, kept map[schema.Digest]bool) error {
	leaving, err := c.listLeaving(tx, rule)
	if err == nil && len(leaving) > 0 {
		err = c.addCommitted(tx, rule, kept)
	}
	if errors.Is(err, tracker.ErrDamaged) || errors.Is(err, tracker.ErrMissing) {
		c.isDoubtful = true // the commit does not need these rows, and the pruning says what is wrong
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range leaving {
		switch {
		case kept[e.name] || tx.IsPruned(e.name):
		case !tx.HasRecord(e.name) || slices.Equal(tx.Rows().OwnersOf(e.name), []uint64{c.r.run.Number}):
			if _, err := tx.Rows().PutTombstone(e.name); err != nil {
				return err
			}
		case tx.Rows().HasUnknownOwners(e.name) || tx.Rows().IsKept(e.name) && e.k < c.r.inherited:
			c.isDoubtful = true
		default:
			tx.Rows().RemoveOwner(e.name, c.r.run.Number)
		}
	}
	return nil
}

// A leavingRecord is a record of iteration k that the run does not retain.
type leavingRecord struct {
	k    int
	name schema.Digest
}

// listLeaving returns the records of the iterations that the run does not retain after the commit, though it may have
// retained them before: those of the commit's iterations and of the last ones before, and at the end of all.
func (c *commitUnit) listLeaving(tx *tracker.Tx, rule tracker.RetentionRule) (all []leavingRecord, err error) {
	from := 0
	if c.ending == nil {
		from = tracker.NewRetentionRule(c.r.run, *c.r.retention, c.first, true).WholeFrom()
	}
	for k := from; k < min(rule.WholeFrom(), c.end()); k++ {
		var it schema.Iteration
		if k >= c.first {
			it = c.done[k-c.first].it
		} else if it, err = tx.ReadIteration(c.r.run.ID, k); err != nil {
			return nil, err
		}
		for _, e := range it.Records {
			if !rule.Retains(k, e.Kind) {
				all = append(all, leavingRecord{k, e.Name})
			}
		}
	}
	return all, nil
}

// addCommitted adds the records that rows of earlier commits retain: those of the last iterations, and of a checkpoint
// that this commit does not replace.
func (c *commitUnit) addCommitted(tx *tracker.Tx, rule tracker.RetentionRule, kept map[schema.Digest]bool) error {
	var lists [][]schema.Entry
	for k := rule.WholeFrom(); k < c.first; k++ {
		it, err := tx.ReadIteration(c.r.run.ID, k)
		if err != nil {
			return err
		}
		lists = append(lists, it.Records)
	}
	if c.checkpoint == nil && len(c.done) == 0 {
		checkpoint, err := tx.ReadCheckpoint(c.r.run.ID)
		if err != nil {
			return err
		}
		if checkpoint != nil {
			lists = append(lists, checkpoint.Records)
		}
	}
	for _, e := range slices.Concat(lists...) {
		kept[e.Name] = true
	}
	return nil
}

// pruneDoubtful prunes the runs of whose records it was not known which other runs retain them.
func (w *Writer) pruneDoubtful(ctx context.Context) error {
	w.mu.Lock()
	runs := slices.Collect(maps.Keys(w.doubtful))
	w.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	rows.SortNames(runs)
	if _, err := gc.Prune(ctx, w.store, gc.PruneOptions{Runs: runs}); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.doubtful)
	return nil
}
