package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Report is the result of [Run].
type Report struct {
	Runs       int   `json:"runs"`
	Iterations int   `json:"iterations"`
	Records    int   `json:"records"`    // distinct records that rows name
	Bytes      int64 `json:"bytes"`      // bytes of Records as stored
	Read       int   `json:"read"`       // verified ones of Records
	ReadBytes  int64 `json:"read_bytes"` // bytes of Read as stored
	Pruned     int   `json:"pruned"`     // pruned ones of Records

	Sample string `json:"sample,omitempty"` // the sample n/t that was read: see [SelectPart]
	Unused int    `json:"unused"`           // records that no row names; this is not damage

	File int64 `json:"file"` // bytes of the file
	Free int64 `json:"free"` // of these, bytes in unused pages

	Damaged []Damage `json:"damaged"`
	More    int      `json:"more"` // number of damages that are not listed
}

const maxDamages = 10_000

// A Damage describes one damaged thing. Unknown fields are nil or "".
type Damage struct {
	Run    *schema.Digest `json:"run"`
	Name   string         `json:"name,omitempty"` // of the run
	K      *int           `json:"k"`              // iteration; nil for a checkpoint
	Kind   string         `json:"kind"`           // of the record, or the bucket of the row, or "structure"
	Digest *schema.Digest `json:"digest"`         // of the record
	Why    string         `json:"why"`
	Misfit bool           `json:"misfit,omitempty"` // the record is intact, but its run's spec cannot make it
}

// kindStructure is the [Damage.Kind] of damaged pages.
const kindStructure = "structure"

// Intact reports whether the check found no damage.
func (r Report) Intact() bool { return len(r.Damaged)+r.More == 0 }

// IsSubsetOf reports whether everything damaged in r is also damaged in other, for whatever reason.
func (r Report) IsSubsetOf(other Report) bool {
	there := map[string]bool{}
	for _, d := range other.Damaged {
		there[d.location()] = true
	}
	return r.More <= other.More && !slices.ContainsFunc(r.Damaged, func(d Damage) bool { return !there[d.location()] })
}

func (d Damage) location() string {
	k := -1
	if d.K != nil {
		k = *d.K
	}
	return fmt.Sprint(d.Run, k, d.Kind, d.Digest)
}

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
		d := Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name}
		if why := r.bad[e.Name]; why != nil {
			if d.Why = damageText(why); !r.isRepaired(e) {
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
		if r.tx.Rows().IsPruned(e.Name) {
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

// readSampleShape reads the shape of one record that depends on much of the run's spec: an option, or factors.
func (c *checker) readSampleShape(tx *tracker.Tx, it schema.Iteration) {
	for _, kind := range []schema.Kind{schema.KindOption, schema.KindFactors} {
		for _, name := range it.RecordsOf(kind) {
			if _, known := c.shapes[name]; known || c.bad[name] != nil {
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
