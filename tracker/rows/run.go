package rows

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// HasRun reports whether the store has a run. It does not verify the run's row.
func (t *Tx) HasRun(id schema.Digest) bool { return t.buckets[BucketRuns].Get(id[:]) != nil }

type runRef struct {
	Run schema.Digest `cbor:"run"`
}

func (r *runRef) decodeFast(in *wire.CBORReader) {
	in.ReadMap(1)
	in.ReadKey("run")
	r.Run = in.ReadDigest()
}

// ReadRef returns the run to which a row of bucket order or names refers. ok reports whether the row exists.
func (t *Tx) ReadRef(bucket string, key []byte) (run schema.Digest, ok bool, err error) {
	value, err := t.Get(bucket, key)
	if value == nil || err != nil {
		return run, false, err
	}
	run, err = decodeRef(bucket, key, value)
	return run, err == nil, err
}

// PutRef writes a row of bucket order or names that refers to a run.
func (t *Tx) PutRef(bucket string, key []byte, run schema.Digest) error {
	return Write(t, bucket, key, runRef{Run: run})
}

// DecodeRef verifies and decodes a row of bucket order or names.
func DecodeRef(bucket string, key, row []byte) (run schema.Digest, err error) {
	value, err := Verify(bucket, key, row)
	if err != nil {
		return run, err
	}
	return decodeRef(bucket, key, value)
}

// DecodeNumber verifies and decodes a row of bucket order.
func DecodeNumber(key, row []byte) (number uint64, run schema.Digest, err error) {
	if len(key) != 8 {
		return 0, run, DamagedError(BucketOrder, key)
	}
	run, err = DecodeRef(BucketOrder, key, row)
	return binary.BigEndian.Uint64(key), run, err
}

func decodeRef(bucket string, key, value []byte) (schema.Digest, error) {
	ref, err := DecodeFast(bucket, key, value, (*runRef).decodeFast)
	return ref.Run, err
}

// ParseRunKey returns the run of a key of bucket runs.
func ParseRunKey(key []byte) (id schema.Digest, err error) {
	if len(key) != len(id) {
		return id, DamagedError(BucketRuns, key)
	}
	copy(id[:], key)
	return id, nil
}

// Dedupe returns the values in order, without repetitions.
func Dedupe[T comparable](ids []T) (some []T) {
	seen := map[T]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			some = append(some, id)
		}
	}
	return some
}

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
	it.Records, err = DecodeFast(BucketIterations, key, value[len(it.Link):], (*entryList).decodeFast)
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
	records, err := wire.Marshal(it.Records)
	if err != nil {
		return err
	}
	return t.Put(BucketIterations, PartKey(run, k), append(it.Link[:], records...))
}

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
