package tracker

import (
	"errors"
	"iter"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ReadRun returns the run with that ID.
func (t *Tx) ReadRun(id schema.Digest) (Run, error) {
	value, err := t.rows.Get(rows.BucketRuns, id[:])
	if err != nil {
		return Run{}, err
	}
	if value == nil {
		return Run{}, storeerr.Missing("run %s", id)
	}
	r, err := decodeRun(id[:], value, &t.specs)
	if err != nil {
		return Run{}, err
	}
	if r.ID != id {
		return Run{}, storeerr.Damaged("run %s: its row belongs to another run", id)
	}
	return r, nil
}

// readIndexedRun returns a run to which a number or a name refers. A missing run is damage.
func (t *Tx) readIndexedRun(id schema.Digest) (Run, error) {
	r, err := t.ReadRun(id)
	if errors.Is(err, ErrMissing) {
		err = storeerr.Damaged("run %s has a number or a name, but does not exist", id)
	}
	return r, err
}

// Runs yields all runs, newest first. It continues after an error.
func (t *Tx) Runs() iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		c := t.rows.Bucket(rows.BucketOrder).Cursor()
		for key, row := c.Last(); key != nil; key, row = c.Prev() {
			var run Run
			id, err := rows.DecodeRef(rows.BucketOrder, key, row)
			if err == nil {
				run, err = t.readIndexedRun(id)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

// A runRow is a row of bucket runs.
type runRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors wire.List[Ancestor] `cbor:"ancestors"`
}

// PutRun writes the row of a run.
func (t *Tx) PutRun(r Run) error {
	row := runRow{Number: r.Number, Spec: r.Spec, Start: r.Start, Ancestors: r.Ancestors}
	return rows.Write(t.rows, rows.BucketRuns, r.ID[:], row)
}

// decodeRun decodes the verified row of a run, and computes the run's ID. specs is a cache, or nil.
func decodeRun(key, value []byte, specs *runset.SpecCache) (Run, error) {
	if r, ok := decodeSimilarRun(value, specs); ok {
		return r, nil
	}
	row, err := rows.Decode[runRow](rows.BucketRuns, key, value)
	if err != nil {
		return Run{}, err
	}
	r := Run{Spec: row.Spec, Start: row.Start, Number: row.Number, Ancestors: row.Ancestors}
	if r.ID, err = schema.RunID(r.Spec, r.Start); err == nil && r.Start == nil && specs != nil {
		err = specs.Add(r.Spec)
	}
	return r, err
}

// decodeSimilarRun decodes the row of a run that is not a fork and whose spec is like an earlier one. ok is
// false for other rows.
func decodeSimilarRun(value []byte, specs *runset.SpecCache) (r Run, ok bool) {
	if specs == nil {
		return r, false
	}
	c := wire.NewCBORReader(value)
	c.ReadMap(4)
	c.ReadKey("spec")
	spec, encoded := specs.Read(&c)
	c.ReadKey("start")
	c.ReadNull()
	c.ReadKey("number")
	r = Run{Spec: spec, Number: c.ReadUint(), Ancestors: []Ancestor{}}
	c.ReadKey("ancestors")
	c.ReadEmptyArray()
	if !c.Complete() {
		return Run{}, false
	}
	r.ID = schema.RunIDOfEncodedSpec(encoded)
	return r, true
}
