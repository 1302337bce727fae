package tracker

import (
	"bytes"
	"context"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// runs checks run by run.
func (c *checker) runs(ctx context.Context) error {
	if c.ids = c.Runs; c.Runs == nil {
		if err := c.store.View(ctx, func(tx *Tx) error {
			_, err := c.attempt(func() error { // what is damaged here was found in the structure
				for key := range tx.within(bucketRuns, nil) {
					if id, err := digestOf(key); err == nil {
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
	return c.each(ctx, func() int { return len(c.ids) }, func(tx *Tx, i int) error {
		return c.run(tx, c.ids[i])
	})
}

// runCheck is the check of one run, within one transaction.
type runCheck struct {
	*checker
	tx   *Tx
	id   schema.Digest
	run  *Run // nil where its row is damaged
	name string
	done int // iterations that are there, from the first on
}

func (c *checker) run(tx *Tx, id schema.Digest) error {
	r := &runCheck{checker: c, tx: tx, id: id}
	there := true
	for _, step := range []struct {
		kind string
		look func() error
	}{
		{bucketRuns, func() error { there = tx.hasRun(id); return nil }},
		{bucketAnnotations, r.annotation},
		{bucketRuns, r.row},
		{bucketIterations, r.iterations},
		{bucketRuns, r.sound},
		{bucketCheckpoints, r.checkpoint},
		{bucketCosts, r.costs},
		{bucketSessions, func() error { _, err := tx.sessions(id); return err }},
		{bucketKeeps, func() error { _, err := tx.ReadRetention(id); return err }},
		{bucketEvaluations, r.evaluations},
		{bucketProofs, r.proofs},
		{bucketTags, func() error { _, err := tx.tagged(id); return err }},
		{bucketLeases, func() error { _, err := tx.ReadLease(id); return err }},
		{bucketLeases, r.single},
	} {
		why, err := c.attempt(step.look)
		if err != nil {
			return err
		}
		if why != "" {
			r.damage(step.kind, nil, why)
		}
		if !there {
			return nil // it was removed meanwhile
		}
	}
	c.found.Runs++
	return nil
}

func (r *runCheck) damage(kind string, k *int, why string) {
	if row, rest, ok := strings.Cut(why, " of "+kind); ok && strings.HasPrefix(row, "row "+r.id.String()) {
		why = "its row is not what was written" + rest
	}
	r.add(Damage{Run: &r.id, Name: r.name, K: k, Kind: kind, Why: why})
}

// annotation holds what is said of the run to the row of its name.
func (r *runCheck) annotation() error {
	a, err := r.tx.ReadAnnotation(r.id)
	if r.name = a.Name; err != nil || a.Name == "" {
		return err
	}
	named, ok, err := read[runRef](r.tx, bucketNames, []byte(a.Name))
	if err == nil && (!ok || named.Run != r.id) {
		err = damaged("the name %q is not the run's in %s", a.Name, bucketNames)
	}
	return err
}

// row holds the run to its ID and its number.
func (r *runCheck) row() error {
	run, err := r.tx.ReadRun(r.id)
	if err != nil {
		return err
	}
	r.run = &run
	ref, ok, err := read[runRef](r.tx, bucketOrder, numberKey(run.Number))
	if err == nil && (!ok || ref.Run != r.id) {
		err = damaged("number %d is not the run's in %s", run.Number, bucketOrder)
	}
	return err
}

func (r *runCheck) sound() error {
	if r.run == nil {
		return nil
	}
	for _, a := range r.run.stretches() {
		if v := a.Spec.Numerics; v != schema.NumericsVersion && v > 0 { // another program's to judge
			r.found.Others = append(r.found.Others, OtherNumericsRun{Run: r.id, Name: r.name, Numerics: v})
			return nil
		}
	}
	return r.run.sound(r.done)
}

// costs are one for each iteration.
func (r *runCheck) costs() error {
	k, rows := 0, 0
	for key, row := range r.tx.within(bucketCosts, r.id[:]) {
		value, err := verify(bucketCosts, key, row)
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
		return damaged("the cost of iteration %d is gone, or one of no iteration is there", min(k, r.done))
	}
	return r.tx.notStray(bucketCosts, r.id[:])
}

// proofs reads the levels of the iterations that are there, and finds those of others.
func (r *runCheck) proofs() error {
	proofs, err := r.tx.proofs(r.id)
	if err == nil && len(proofs) > 0 && proofs[len(proofs)-1].k >= r.done {
		err = damaged("proof levels of iteration %d, which is not there", proofs[len(proofs)-1].k)
	}
	return err
}

// single holds rows that a run has one of at most to that.
func (r *runCheck) single() error {
	for _, bucket := range []string{bucketRuns, bucketAnnotations, bucketCheckpoints, bucketLeases} {
		for key := range r.tx.within(bucket, r.id[:]) {
			if len(key) != len(r.id) {
				return damagedRow(bucket, key)
			}
		}
	}
	return nil
}
