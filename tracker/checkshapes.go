package tracker

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// shapes holds records to what their runs' specs say of their shapes: those that were
// read, and of each run at least one, in its first iteration.
func (c *checker) shapes(ctx context.Context) error {
	if c.CheckShape == nil {
		return nil
	}
	return c.each(ctx, func() int { return len(c.ids) }, func(tx *Tx, i int) error {
		_, err := c.attempt(func() error { return c.shapesOf(tx, c.ids[i]) }) // what is damaged here was found before
		return err
	})
}

func (c *checker) shapesOf(tx *Tx, id schema.Digest) error {
	run, err := tx.ReadRun(id)
	if err != nil {
		return err
	}
	fit := c.CheckShape(run)
	if fit == nil {
		return nil
	}
	a, err := tx.ReadAnnotation(id)
	if err != nil {
		return err
	}
	r := &runCheck{checker: c, tx: tx, id: id, name: a.Name}
	for key, row := range tx.within(bucketIterations, id[:]) {
		k, _ := partNumber(key)
		it, err := decodeIteration(key, row)
		if err != nil {
			return err
		}
		if k == 0 {
			c.readOne(tx, it)
		}
		r.fit(fit, k, it.Records)
	}
	return nil
}

// readOne reads a record that tells much of its run's shape: an option, or factors.
func (c *checker) readOne(tx *Tx, it schema.Iteration) {
	for _, kind := range []schema.Kind{schema.KindOption, schema.KindFactors} {
		for _, name := range it.All(kind) {
			if _, known := c.read[name]; known || c.bad[name] != "" {
				return
			}
			if raw, _, err := tx.RecordSizes(name); err != nil || raw > maxStaged {
				continue
			}
			record, err := tx.ReadRecord(name)
			if err != nil {
				return // who reads the records says why
			}
			if shape, err := schema.ShapeOf(record); err == nil {
				c.read[name] = shape
			}
			return
		}
	}
}

// fit holds the records of an iteration that were read to their shapes.
func (r *runCheck) fit(fit ShapeCheck, k int, entries []schema.Entry) {
	for _, e := range entries {
		shape, known := r.read[e.Name]
		if !known || r.bad[e.Name] != "" {
			continue
		}
		if err := fit(k, e.Kind, shape); err != nil {
			r.add(Damage{Run: &r.id, Name: r.name, K: &k, Kind: string(e.Kind), Digest: &e.Name, Why: why(err), Misfit: true})
		}
	}
}
