package groupcommit

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A commit of a run that does not keep everything writes the records that the run keeps, and those that it needs to
// continue; of others it writes only tombstones. The index says that the run owns what it only needs. When the run no
// longer needs such a record, its commit drops it, if the run is still the owner: no other row names the record then. A
// record that another row comes to name loses its owner, and stays. So no commit looks at the rows of other runs.

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

// putRecord appends a record with an owner, or with none if that is 0. A record that the store has keeps its owner only
// if that is the same.
func (c *commitUnit) putRecord(tx *tracker.Tx, name schema.Digest, owner uint64) error {
	if !tx.Rows().HasRecord(name) {
		return tx.Rows().AppendOwned(name, c.records[name], owner)
	}
	if tx.Rows().OwnerOf(name) != owner {
		tx.Rows().Disown(name)
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
		unfinished = c.end() < a.Target || a.Open && !c.ending.closes
	}
	return tracker.NewRetentionRule(c.r.run, *c.r.retention, c.end(), unfinished), nil
}

// dropRecords replaces the records that the run owns and no longer retains by tombstones, and writes tombstones for
// those that were never written. It leaves those that rows of the commit, whose records are in kept, or the run's
// checkpoint need.
func (c *commitUnit) dropRecords(tx *tracker.Tx, rule tracker.RetentionRule, kept map[schema.Digest]bool) error {
	leaving, err := c.listLeaving(tx, rule)
	if err == nil && len(leaving) > 0 {
		err = c.addCheckpoint(tx, kept)
	}
	if errors.Is(err, tracker.ErrDamaged) || errors.Is(err, tracker.ErrMissing) {
		return nil // the commit does not need these rows
	}
	if err != nil {
		return err
	}
	for _, name := range leaving {
		if kept[name] || tx.Rows().IsPruned(name) || tx.Rows().HasRecord(name) && tx.Rows().OwnerOf(name) != c.r.run.Number {
			continue
		}
		if _, err := tx.Rows().PutTombstone(name); err != nil {
			return err
		}
	}
	return nil
}

// listLeaving returns the records of the iterations that the run does not retain after the commit, though it may have
// retained them before: those of the commit's iterations and of the last one before, and of a complete run all.
func (c *commitUnit) listLeaving(tx *tracker.Tx, rule tracker.RetentionRule) (all []schema.Digest, err error) {
	from := max(c.first-1, 0)
	if rule.WholeFrom() == c.end() {
		from = 0
	}
	for k := from; k < rule.WholeFrom(); k++ {
		var it schema.Iteration
		if k >= c.first {
			it = c.done[k-c.first].Iteration
		} else if it, err = tx.ReadIteration(c.r.run.ID, k); err != nil {
			return nil, err
		}
		for _, e := range it.Records {
			if !rule.Retains(k, e.Kind) {
				all = append(all, e.Name)
			}
		}
	}
	return all, nil
}

func (c *commitUnit) addCheckpoint(tx *tracker.Tx, kept map[schema.Digest]bool) error {
	if c.checkpoint != nil || len(c.done) > 0 {
		return nil
	}
	checkpoint, err := tx.ReadCheckpoint(c.r.run.ID)
	if checkpoint == nil || err != nil {
		return err
	}
	for _, e := range checkpoint.Records {
		kept[e.Name] = true
	}
	return nil
}
