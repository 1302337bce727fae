package tracker

import (
	"bytes"
	"context"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// checkRuns checks the runs one by one.
func (c *checker) checkRuns(ctx context.Context) error {
	if c.ids = c.Runs; c.Runs == nil {
		if err := c.store.View(ctx, func(tx *Tx) error {
			_, err := c.catchDamage(func() error { // damage of the structure was reported before
				for key := range tx.rowsWithPrefix(bucketRuns, nil) {
					if id, err := parseDigestKey(key); err == nil {
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
	return c.eachInShortTxs(ctx, func() int { return len(c.ids) }, func(tx *Tx, i int) error {
		return c.checkRun(tx, c.ids[i])
	})
}

// runCheck is the check of one run in one transaction.
type runCheck struct {
	*checker
	tx   *Tx
	id   schema.Digest
	run  *Run // nil if its row is damaged
	name string
	done int // number of iterations, from the first on
}

func (c *checker) checkRun(tx *Tx, id schema.Digest) error {
	r := &runCheck{checker: c, tx: tx, id: id}
	there := true
	for _, step := range []struct {
		kind string
		look func() error
	}{
		{bucketRuns, func() error { there = tx.hasRun(id); return nil }},
		{bucketAnnotations, r.checkAnnotation},
		{bucketRuns, r.checkRow},
		{bucketIterations, r.checkIterations},
		{bucketRuns, r.checkSpecs},
		{bucketCheckpoints, r.checkCheckpoint},
		{bucketCosts, r.checkCosts},
		{bucketSessions, func() error { _, err := tx.readSessionRows(id); return err }},
		{bucketKeeps, func() error { _, err := tx.ReadRetention(id); return err }},
		{bucketEvaluations, r.checkEvaluations},
		{bucketProofs, r.checkProofs},
		{bucketTags, func() error { _, err := tx.readTagEntries(id); return err }},
		{bucketLeases, func() error { _, err := tx.ReadLease(id); return err }},
		{bucketLeases, r.checkSingleRows},
	} {
		why, err := c.catchDamage(step.look)
		if err != nil {
			return err
		}
		if why != "" {
			r.reportDamage(step.kind, nil, why)
		}
		if !there {
			return nil // the run was removed meanwhile
		}
	}
	c.report.Runs++
	return nil
}

func (r *runCheck) reportDamage(kind string, k *int, why string) {
	if row, rest, ok := strings.Cut(why, " of "+kind); ok && strings.HasPrefix(row, "row "+r.id.String()) {
		why = "its row is not what was written" + rest
	}
	r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: kind, Why: why})
}

// checkAnnotation checks that the index of names maps the run's name to the run.
func (r *runCheck) checkAnnotation() error {
	a, err := r.tx.ReadAnnotation(r.id)
	if r.name = a.Name; err != nil || a.Name == "" {
		return err
	}
	named, ok, err := readRow[runRef](r.tx, bucketNames, []byte(a.Name))
	if err == nil && (!ok || named.Run != r.id) {
		err = damagedError("the name %q is not the run's in %s", a.Name, bucketNames)
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
	ref, ok, err := readRow[runRef](r.tx, bucketOrder, numberKey(run.Number))
	if err == nil && (!ok || ref.Run != r.id) {
		err = damagedError("number %d is not the run's in %s", run.Number, bucketOrder)
	}
	return err
}

func (r *runCheck) checkSpecs() error {
	if r.run == nil {
		return nil
	}
	for _, a := range r.run.lineage() {
		if v := a.Spec.Numerics; v != schema.NumericsVersion && v > 0 { // only the program that made it can validate it
			r.report.Others = append(r.report.Others, OtherNumericsRun{Run: r.id, Name: r.name, Numerics: v})
			return nil
		}
	}
	return r.run.validate(r.done)
}

// checkCosts checks that each iteration has exactly one cost row.
func (r *runCheck) checkCosts() error {
	k, rows := 0, 0
	for key, row := range r.tx.rowsWithPrefix(bucketCosts, r.id[:]) {
		value, err := verifyRow(bucketCosts, key, row)
		if err != nil {
			return err
		}
		if _, err := decodeRow[Cost](bucketCosts, key, value); err != nil {
			return err
		}
		if rows++; bytes.Equal(key, partKey(r.id, k)) {
			k++
		}
	}
	if k != r.done || rows != k {
		return damagedError("the cost of iteration %d is missing, or there is one of a missing iteration",
			min(k, r.done))
	}
	return r.tx.checkMisplaced(bucketCosts, r.id[:])
}

// checkProofs checks that no proof level belongs to a missing iteration.
func (r *runCheck) checkProofs() error {
	proofs, err := r.tx.readProofs(r.id)
	if err == nil && len(proofs) > 0 && proofs[len(proofs)-1].k >= r.done {
		err = damagedError("proof levels of iteration %d, which is missing", proofs[len(proofs)-1].k)
	}
	return err
}

// checkSingleRows checks the keys of buckets with at most one row a run.
func (r *runCheck) checkSingleRows() error {
	for _, bucket := range []string{bucketRuns, bucketAnnotations, bucketCheckpoints, bucketLeases} {
		for key := range r.tx.rowsWithPrefix(bucket, r.id[:]) {
			if len(key) != len(r.id) {
				return damagedRowError(bucket, key)
			}
		}
	}
	return nil
}
