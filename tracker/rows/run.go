package rows

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// HasRun reports whether the store has a run. It does not verify the run's row.
func (t *Tx) HasRun(id schema.Digest) bool { return t.buckets[BucketRuns].Get(id[:]) != nil }

// runRef is a row that maps a number or a name to a run.
type runRef struct {
	Run schema.Digest `cbor:"run"`
}

func (f *runRef) decodeFast(r *wire.CBORReader) {
	r.ReadMap(1)
	r.ReadKey("run")
	f.Run = r.ReadDigest()
}

// ReadRef returns the run to which a row of bucket order or names refers. It reports in ok whether
// there is such a row.
func (t *Tx) ReadRef(bucket string, key []byte) (run schema.Digest, ok bool, err error) {
	value, err := t.Get(bucket, key)
	if value == nil || err != nil {
		return run, false, err
	}
	ref, err := decodeRef(bucket, key, value)
	return ref.Run, err == nil, err
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
	ref, err := decodeRef(bucket, key, value)
	return ref.Run, err
}

// PeekNumber decodes a row of bucket order, but verifies it only if it has an unexpected form. The
// row of the run has the same number, unless this one is damaged.
func PeekNumber(key, row []byte) (number uint64, run schema.Digest, err error) {
	if len(key) != 8 {
		return 0, run, DamagedError(BucketOrder, key)
	}
	number = binary.BigEndian.Uint64(key)
	r, ref := wire.NewCBORReader(row[:max(0, len(row)-SumSize)]), runRef{}
	if ref.decodeFast(&r); r.Complete() {
		return number, ref.Run, nil
	}
	run, err = DecodeRef(BucketOrder, key, row)
	return number, run, err
}

func decodeRef(bucket string, key, value []byte) (runRef, error) {
	return DecodeFast(bucket, key, value, (*runRef).decodeFast)
}

// ParseRunKey returns the run that a key of bucket runs names.
func ParseRunKey(key []byte) (id schema.Digest, err error) {
	if len(key) != len(id) {
		return id, DamagedError(BucketRuns, key)
	}
	copy(id[:], key)
	return id, nil
}

// Dedupe returns the digests in order, without repetitions.
func Dedupe(ids []schema.Digest) (some []schema.Digest) {
	seen := map[schema.Digest]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			some = append(some, id)
		}
	}
	return some
}
