package tracker

import "github.com/podtrack/podtrack/schema"

// Decoders without reflection for the rows that every list of runs reads. A row with an unexpected
// form is decoded again by [schema.Unmarshal], which decides whether it is valid.

// fastDecoder is implemented by rows that can be decoded without reflection.
type fastDecoder interface{ decodeFast(*schema.CBORReader) }

func (f *runRef) decodeFast(r *schema.CBORReader) {
	r.ReadMap(1)
	r.ReadKey("run")
	f.Run = r.ReadDigest()
}

func (a *Annotation) decodeFast(r *schema.CBORReader) {
	r.ReadMap(5)
	r.ReadKey("name")
	a.Name = r.ReadText()
	r.ReadKey("note")
	a.Note = r.ReadText()
	r.ReadKey("target")
	a.Target = r.ReadInt()
	r.ReadKey("created")
	a.Created = r.ReadInt64()
	r.ReadKey("failure")
	a.Failure = r.ReadText()
}

// entryList is the list of an iteration's records.
type entryList []schema.Entry

func (l *entryList) decodeFast(r *schema.CBORReader) {
	const least = 1 + 1 + 2 + len(schema.Digest{}) // bytes of an entry: two heads, and the digest with its own
	n := r.ReadArray(r.Remaining() / least)
	*l = make(entryList, 0, n)
	for range n {
		if r.ReadArray(2) == 2 {
			*l = append(*l, schema.Entry{Kind: r.ReadKind(), Name: r.ReadDigest()})
		}
	}
	if len(*l) < n {
		r.Fail()
	}
}

// decodeRun decodes a run's row, and computes the run's ID.
func (t *Tx) decodeRun(key, value []byte) (row runRow, id schema.Digest, err error) {
	if row, id, ok := t.decodeSimilarRun(value); ok {
		return row, id, nil
	}
	if row, err = decodeRow[runRow](bucketRuns, key, value); err != nil {
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
