package check

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// reportRecords visits the runs again, and reports where the damaged records are listed, and which records have shapes
// that the specs cannot make: of all records that were read, and of at least one record of each run, in its first
// iteration.
func (c *checker) reportRecords(ctx context.Context) error {
	if len(c.bad) == 0 && c.CheckShape == nil {
		return nil
	}
	return tracker.ViewEach(ctx, c.store, c.ids, func(tx *tracker.Tx, id schema.Digest) error {
		r := &runCheck{checker: c, tx: tx, id: id}
		_, err := c.catchDamage(func() error { // damage of these rows was reported before
			a, _ := tx.ReadAnnotation(r.id)
			r.name = a.Name
			fit := r.shapeCheck()
			for row, err := range tx.NamingRows(r.id[:], nil) {
				if err == nil {
					r.reportOf(row.Iteration(), row.Records, fit)
				}
			}
			return nil
		})
		return err
	})
}

// shapeCheck returns the check of the shapes of the run's records, nil if there is none.
func (r *runCheck) shapeCheck() (fit tracker.ShapeCheck) {
	if r.CheckShape == nil {
		return nil
	}
	_, _ = r.catchDamage(func() error { // as above
		run, err := r.tx.ReadRun(r.id)
		if err == nil {
			fit = r.CheckShape(run)
		}
		return err
	})
	return fit
}

// reportOf reports what is wrong with the records of an iteration, or of a checkpoint.
func (r *runCheck) reportOf(k *int, entries []schema.Entry, fit tracker.ShapeCheck) {
	if k == nil {
		fit = nil
	} else if fit != nil && *k == 0 {
		r.readSampleShape(r.tx, schema.Iteration{Records: entries})
	}
	for _, e := range entries {
		d := Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name, Why: r.bad[e.Name]}
		if d.Why != "" {
			if !r.isRepaired(e) {
				r.addDamage(d)
			}
			continue
		}
		if shape, known := r.shapes[e.Name]; known && fit != nil {
			if err := fit(*k, e.Kind, shape); err != nil {
				d.Why, d.Misfit = damageText(err), true
				r.addDamage(d)
			}
		}
	}
}

// isRepaired reports whether a record that was damaged is now valid or pruned: another process may have removed,
// pruned or repaired it.
func (r *runCheck) isRepaired(e schema.Entry) bool {
	return r.store.RecoverDamage(func() error {
		if r.tx.IsPruned(e.Name) {
			return nil
		}
		raw, err := r.tx.ReadRecord(e.Name)
		if err == nil {
			err = schema.CheckRecord(e.Kind, raw)
		}
		return err
	}) == nil
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
