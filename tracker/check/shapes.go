package check

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// checkShapes compares the shapes of records with their runs' specs: of all records that were read, and of at
// least one record of each run, in its first iteration.
func (c *checker) checkShapes(ctx context.Context) error {
	if c.CheckShape == nil {
		return nil
	}
	return c.eachInShortTxs(ctx, func() int { return len(c.ids) }, func(tx *tracker.Tx, i int) error {
		// damage of these rows was reported before
		_, err := c.catchDamage(func() error {
			return c.checkShapesOf(tx, c.ids[i])
		})
		return err
	})
}

func (c *checker) checkShapesOf(tx *tracker.Tx, id schema.Digest) error {
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
	for key, row := range tx.Rows().WithPrefix(rows.BucketIterations, id[:]) {
		k, _ := rows.PartNumber(key)
		it, err := rows.DecodeIteration(key, row)
		if err != nil {
			return err
		}
		if k == 0 {
			c.readSampleShape(tx, it)
		}
		r.checkIterationShapes(fit, k, it.Records)
	}
	return nil
}

const largestSample = 16 << 20 // bytes of a record that is read for its shape

// readSampleShape reads the shape of one record that depends on much of the run's spec: an option,
// or factors.
func (c *checker) readSampleShape(tx *tracker.Tx, it schema.Iteration) {
	for _, kind := range []schema.Kind{schema.KindOption, schema.KindFactors} {
		for _, name := range it.RecordsOf(kind) {
			if _, known := c.shapes[name]; known || c.bad[name] != "" {
				return
			}
			if raw, _, err := tx.RecordSizes(name); err != nil || raw > largestSample {
				continue
			}
			record, err := tx.ReadRecord(name)
			if err != nil {
				return // reading the records reports why
			}
			if shape, err := schema.ReadShape(record); err == nil {
				c.shapes[name] = shape
			}
			return
		}
	}
}

// checkIterationShapes checks the shapes of those records of an iteration that were read.
func (r *runCheck) checkIterationShapes(fit tracker.ShapeCheck, k int, entries []schema.Entry) {
	for _, e := range entries {
		shape, known := r.shapes[e.Name]
		if !known || r.bad[e.Name] != "" {
			continue
		}
		if err := fit(k, e.Kind, shape); err != nil {
			r.addDamage(Damage{Run: &r.id, Name: r.name, K: &k, Kind: string(e.Kind), Digest: &e.Name,
				Why: damageText(err), Misfit: true})
		}
	}
}
