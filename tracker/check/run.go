package check

import (
	"bytes"
	"context"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A runCheck is the check of one run in one transaction.
type runCheck struct {
	*checker
	tx   *tracker.Tx
	id   schema.Digest
	run  *tracker.Run // nil if its row is damaged
	name string
	done int // number of iterations, from the first on
}

func (r *runCheck) reportDamage(kind string, k *int, why string) {
	if row, rest, ok := strings.Cut(why, " of "+kind); ok && strings.HasPrefix(row, "row "+r.id.String()) {
		why = "its row is damaged" + rest
	}
	r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: kind, Why: why})
}

func (c *checker) checkRuns(ctx context.Context) error {
	if c.ids = c.Runs; c.Runs == nil {
		if err := c.store.View(ctx, func(tx *tracker.Tx) error {
			_, err := c.catchDamage(func() error { // damage of the structure was reported before
				for key := range tx.Rows().WithPrefix(rows.BucketRuns, nil) {
					if id, err := rows.ParseRunKey(key); err == nil {
						c.ids = append(c.ids, id)
					}
				}
				return nil
			})
			return err
		}); err != nil {
			return err
		}
	}
	return tracker.ViewEach(ctx, c.store, c.ids, c.checkRun)
}

func (c *checker) checkRun(tx *tracker.Tx, id schema.Digest) error {
	r := &runCheck{checker: c, tx: tx, id: id}
	there := true
	for _, step := range []struct {
		kind string
		look func() error
	}{
		{rows.BucketRuns, func() error { there = tx.Rows().HasRun(id); return nil }},
		{rows.BucketAnnotations, r.checkAnnotation},
		{rows.BucketRuns, r.checkRow},
		{rows.BucketIterations, r.checkIterations},
		{rows.BucketRuns, r.checkSpecs},
		{rows.BucketCheckpoints, r.checkCheckpoint},
		{rows.BucketCosts, r.checkCosts},
		{rows.BucketSessions, func() error { _, err := tx.ReadSessionRows(id); return err }},
		{rows.BucketKeeps, func() error { _, err := tx.ReadRetention(id); return err }},
		{rows.BucketTags, func() error { _, err := tx.ReadTags(id); return err }},
		{rows.BucketLeases, func() error { _, err := tx.ReadLease(id); return err }},
		{rows.BucketLeases, r.checkSingleRows},
	} {
		why, err := c.catchDamage(step.look)
		if err != nil {
			return err
		}
		if why != nil {
			r.reportDamage(step.kind, nil, damageText(why))
		}
		if !there {
			return nil // the run was removed meanwhile
		}
	}
	c.report.Runs++
	return nil
}

// checkAnnotation checks that the index of names maps the run's name to the run.
func (r *runCheck) checkAnnotation() error {
	a, err := r.tx.ReadAnnotation(r.id)
	if r.name = a.Name; err != nil || a.Name == "" {
		return err
	}
	named, ok, err := r.tx.Rows().ReadRef(rows.BucketNames, []byte(a.Name))
	if err == nil && (!ok || named != r.id) {
		err = storeerr.Damaged("the name %q does not refer to the run in %s", a.Name, rows.BucketNames)
	}
	return err
}

// checkRow checks the run's ID and that the order of runs maps its number to it.
func (r *runCheck) checkRow() error {
	run, err := r.tx.ReadRun(r.id)
	if err != nil {
		return err
	}
	r.run = &run
	ref, ok, err := r.tx.Rows().ReadRef(rows.BucketOrder, rows.NumberKey(run.Number))
	if err == nil && (!ok || ref != r.id) {
		err = storeerr.Damaged("number %d does not refer to the run in %s", run.Number, rows.BucketOrder)
	}
	return err
}

func (r *runCheck) checkSpecs() error {
	if r.run == nil {
		return nil
	}
	err := r.run.Validate(r.done)
	if err == nil && r.Visit != nil {
		r.Visit(*r.run, r.done)
	}
	return err
}

// checkCosts checks that each iteration has exactly one cost row.
func (r *runCheck) checkCosts() error {
	k, count := 0, 0
	for key, row := range r.tx.Rows().WithPrefix(rows.BucketCosts, r.id[:]) {
		if _, err := rows.DecodeRow[tracker.Cost](rows.BucketCosts, key, row); err != nil {
			return err
		}
		if count++; bytes.Equal(key, rows.PartKey(r.id, k)) {
			k++
		}
	}
	if k != r.done || count != k {
		return storeerr.Damaged("the cost of iteration %d is missing, or a missing iteration has one",
			min(k, r.done))
	}
	return r.tx.Rows().CheckMisplaced(rows.BucketCosts, r.id[:])
}

// checkSingleRows checks the keys of buckets with at most one row for each run.
func (r *runCheck) checkSingleRows() error {
	for _, bucket := range []string{rows.BucketRuns, rows.BucketAnnotations, rows.BucketCheckpoints,
		rows.BucketLeases} {
		for key := range r.tx.Rows().WithPrefix(bucket, r.id[:]) {
			if len(key) != len(r.id) {
				return rows.DamagedError(bucket, key)
			}
		}
	}
	return nil
}
