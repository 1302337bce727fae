package rows

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// A row of bucket iterations is the link followed by the list of records, so that the head of a run
// can be read without decoding the list.

// DecodeIteration verifies and decodes a row of bucket iterations.
func DecodeIteration(key, row []byte) (it schema.Iteration, err error) {
	value, err := Verify(BucketIterations, key, row)
	if err != nil {
		return it, err
	}
	if copy(it.Link[:], value) != len(it.Link) {
		return it, DamagedError(BucketIterations, key)
	}
	it.Records, err = decodeEntries(key, value[len(it.Link):])
	return it, err
}

// DecodeLink verifies a row of bucket iterations and returns its link.
func DecodeLink(key, row []byte) (link schema.Digest, err error) {
	value, err := Verify(BucketIterations, key, row)
	if err == nil && copy(link[:], value) != len(link) {
		err = DamagedError(BucketIterations, key)
	}
	return link, err
}

// PutIteration writes iteration k of a run, whose records have no owner from then on.
func (t *Tx) PutIteration(run schema.Digest, k int, it schema.Iteration) error {
	for _, e := range it.Records {
		t.Disown(e.Name)
	}
	return t.PutIterationRow(run, k, it)
}

// PutIterationRow writes iteration k of a run whose records have the right owner.
func (t *Tx) PutIterationRow(run schema.Digest, k int, it schema.Iteration) error {
	return t.Put(BucketIterations, PartKey(run, k), schema.AppendEntries(it.Link[:], it.Records))
}

func decodeEntries(key, value []byte) ([]schema.Entry, error) {
	list, err := DecodeFast(BucketIterations, key, value, (*entryList).decodeFast)
	return list, err
}

// An entryList is the list of an iteration's records.
type entryList []schema.Entry

func (e *entryList) decodeFast(r *wire.CBORReader) {
	const least = 1 + 1 + 2 + len(schema.Digest{}) // bytes of an entry: two heads, and the digest with its own
	n := r.ReadArray(len(r.Rest()) / least)
	*e = make(entryList, 0, n)
	for range n {
		if r.ReadArray(2) == 2 {
			*e = append(*e, schema.Entry{Kind: wire.ReadWord(r, schema.Kinds), Name: r.ReadDigest()})
		}
	}
	if len(*e) < n {
		r.Fail()
	}
}
