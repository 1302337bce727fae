package rows

import (
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// HasRun reports whether the store has a run. It does not verify the run's row.
func (t *Tx) HasRun(id schema.Digest) bool { return t.buckets[BucketRuns].Get(id[:]) != nil }

// A runRef is a row that maps a number or a name to a run.
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

// PeekNumber decodes a row of bucket order, and verifies it only if it has an unexpected form. Damage would
// show otherwise: the row of the run must have the same number.
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

// ParseRunKey returns the run of a key of bucket runs.
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
