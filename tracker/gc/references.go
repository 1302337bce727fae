package gc

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A recordUse says how the rows of a store use a record.
type recordUse uint8

const (
	unreferenced recordUse = iota
	referenced             // named by iterations that do not retain it
	retained               // for a while
	kept
)

// A retentionRule is a [tracker.RetentionRule], or retains everything.
type retentionRule struct {
	tracker.RetentionRule
	everything bool
	unfinished bool                  // also retain what the run needs to continue
	complete   tracker.RetentionRule // what it retains later
	number     uint64                // of the run, unless everything is retained
}

func (r retentionRule) retains(k int, kind schema.Kind) bool {
	return r.everything || r.Retains(k, kind)
}

// useOf returns how the run uses the records of a kind in iteration k.
func (r retentionRule) useOf(k int, kind schema.Kind) recordUse {
	switch {
	case !r.retains(k, kind):
		return referenced
	case r.everything || r.complete.RetainsForEver(k, kind):
		return kept
	}
	return retained
}

// references determines which rows name a record, and which of those retain it. It is for one
// transaction in which no row of a run changes.
type references struct {
	tx        *tracker.Tx
	overrides map[schema.Digest]tracker.Retention // of a dry run, instead of the rows
	excluded  map[schema.Digest]bool              // runs to ignore
	lastID    schema.Digest                       // run of the cached rule
	last      *retentionRule
}

// ruleFor returns the rule of a run.
func (r *references) ruleFor(id schema.Digest) (retentionRule, error) {
	if r.last != nil && r.lastID == id {
		return *r.last, nil
	}
	rule, err := r.readRule(id)
	if err == nil {
		r.lastID, r.last = id, &rule
	}
	return rule, err
}

func (r *references) readRule(id schema.Digest) (rule retentionRule, err error) {
	keep, ok := r.overrides[id]
	if !ok {
		row, err := r.tx.ReadRetention(id)
		if row == nil || err != nil {
			return retentionRule{everything: true}, err
		}
		keep = *row
	}
	run, err := r.tx.ReadRun(id)
	if err != nil {
		return rule, err
	}
	a, err := r.tx.ReadAnnotation(id)
	if err != nil {
		return rule, err
	}
	done, _, err := r.tx.ReadHead(id)
	if err != nil {
		return rule, err
	}
	unfinished := done < a.Target
	return retentionRule{RetentionRule: tracker.NewRetentionRule(run, keep, done, unfinished), unfinished: unfinished,
		complete: tracker.NewRetentionRule(run, keep, done, false), number: run.Number}, nil
}

// classify determines how all rows of the store use the records that are the keys of uses. A damaged row is an
// error, since it may name any record.
func (r *references) classify(uses map[schema.Digest]recordUse) error {
	for name := range uses {
		uses[name] = unreferenced
	}
	if len(uses) == 0 {
		return nil
	}
	for row, err := range r.tx.NamingRows(nil, r.excluded) {
		if err == nil {
			err = r.classifyRow(uses, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// classifyRow raises the use of the records that a row names. Only rows of iterations may name records that
// they do not retain.
func (r *references) classifyRow(uses map[schema.Digest]recordUse, row tracker.NamingRow) error {
	for _, e := range row.Records {
		if before, asked := uses[e.Name]; !asked || before == kept {
			continue
		}
		use := kept
		switch row.Bucket {
		case rows.BucketIterations:
			rule, err := r.ruleFor(row.Run())
			if err != nil {
				return err
			}
			use = rule.useOf(*row.Iteration(), e.Kind)
		case rows.BucketCheckpoints:
			use = retained
		}
		raiseUse(uses, e.Name, use)
	}
	return nil
}

// leave notes in the index that a run no longer retains a record, which other runs use. The number of the run is 0 if
// it cannot be read.
func leave(tx *tracker.Tx, name schema.Digest, run uint64, use recordUse) {
	if run > 0 {
		tx.Rows().RemoveOwner(name, run)
	}
	if keeper := tx.Rows().IsKept(name); keeper && use == retained || run == 0 && !keeper {
		tx.Rows().Share(name)
	}
}

// raiseUse raises the use of a record to u, if it is in uses.
func raiseUse(uses map[schema.Digest]recordUse, name schema.Digest, u recordUse) {
	if before, asked := uses[name]; asked {
		uses[name] = max(before, u)
	}
}
