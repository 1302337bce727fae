package tracker

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// runRow is a row of bucket runs.
type runRow struct {
	Number uint64         `cbor:"number"`
	Spec   schema.Spec    `cbor:"spec"`
	Start  *schema.Digest `cbor:"start"`

	Ancestors schema.List[Ancestor] `cbor:"ancestors"`
}

// writeRun writes the row of a run.
func (t *Tx) writeRun(id schema.Digest, row runRow) error {
	return rows.Write(t.rows, rows.BucketRuns, id[:], row)
}

// decodeRun decodes a run's row, and computes the run's ID.
func (t *Tx) decodeRun(key, value []byte) (row runRow, id schema.Digest, err error) {
	if row, id, ok := t.decodeSimilarRun(value); ok {
		return row, id, nil
	}
	if row, err = rows.Decode[runRow](rows.BucketRuns, key, value); err != nil {
		return row, id, err
	}
	if id, err = schema.RunID(row.Spec, row.Start); err == nil && row.Start == nil {
		err = t.specs.Add(row.Spec)
	}
	return row, id, err
}

// decodeSimilarRun decodes the row of a run that is no fork and whose spec is like an earlier one.
// It reports in ok whether it is.
func (t *Tx) decodeSimilarRun(value []byte) (row runRow, id schema.Digest, ok bool) {
	r := schema.NewCBORReader(value)
	r.ReadMap(4)
	r.ReadKey("spec")
	spec, encoded := t.specs.Read(&r)
	r.ReadKey("start")
	r.ReadNull()
	r.ReadKey("number")
	row = runRow{Spec: spec, Number: r.ReadUint(), Ancestors: []Ancestor{}}
	r.ReadKey("ancestors")
	r.ReadEmptyArray()
	if !r.Complete() {
		return runRow{}, id, false
	}
	return row, schema.RunIDOfEncodedSpec(encoded), true
}
