package tracker

import "github.com/podtrack/podtrack/schema"

// The rows that every list of runs reads, read without reflection. What these
// methods do not expect is left to [schema.Unmarshal], which has the last word.

// fastDecoder is a row that can be read so.
type fastDecoder interface{ decodeFast(*schema.Items) }

func (f *runRef) decodeFast(r *schema.Items) {
	r.Fields(1)
	r.Field("run")
	f.Run = r.Digest()
}

func (a *Annotation) decodeFast(r *schema.Items) {
	r.Fields(5)
	r.Field("name")
	a.Name = r.Text()
	r.Field("note")
	a.Note = r.Text()
	r.Field("target")
	a.Target = r.Count()
	r.Field("created")
	a.Created = r.Int()
	r.Field("failure")
	a.Failure = r.Text()
}

// entryList are the records of an iteration.
type entryList []schema.Entry

func (l *entryList) decodeFast(r *schema.Items) {
	const least = 1 + 1 + 2 + len(schema.Digest{}) // bytes of an entry: two heads, and the digest with its own
	n := r.Array(r.Left() / least)
	*l = make(entryList, 0, n)
	for range n {
		if r.Array(2) == 2 {
			*l = append(*l, schema.Entry{Kind: r.Kind(), Name: r.Digest()})
		}
	}
	if len(*l) < n {
		r.Fail()
	}
}

// decodeRun decodes a run's row, and computes the ID that it is of.
func (t *Tx) decodeRun(key, value []byte) (row runRow, id schema.Digest, err error) {
	if row, id, ok := t.decodeSimilarRun(value); ok {
		return row, id, nil
	}
	if row, err = decodeRow[runRow](bucketRuns, key, value); err != nil {
		return row, id, err
	}
	if id, err = schema.RunID(row.Spec, row.Start); err == nil && row.Start == nil {
		err = t.specs.Learn(row.Spec)
	}
	return row, id, err
}

// decodeSimilarRun is for the row of a run that is no fork and is like one before.
func (t *Tx) decodeSimilarRun(value []byte) (row runRow, id schema.Digest, ok bool) {
	r := schema.ReadItems(value)
	r.Fields(4)
	r.Field("spec")
	spec, encoded := t.specs.Next(&r)
	r.Field("start")
	r.Null()
	r.Field("number")
	row = runRow{Spec: spec, Number: r.Uint(), Ancestors: []Ancestor{}}
	r.Field("ancestors")
	r.None()
	if !r.Done() {
		return runRow{}, id, false
	}
	return row, schema.EncodedRunID(encoded), true
}
