package rows

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
)

// ProofLevels is a row of bucket proofs: how far the records of iteration K have been verified.
// This program neither writes such rows nor interprets them, but copies them with the iteration.
type ProofLevels struct {
	K     int
	Value []byte
}

// ReadProofs returns copies of the run's proof levels, by iteration.
func (t *Tx) ReadProofs(run schema.Digest) (all []ProofLevels, err error) {
	if t.buckets[BucketProofs] == nil {
		return nil, nil
	}
	for key, row := range t.WithPrefix(BucketProofs, run[:]) {
		k, ok := PartNumber(key)
		value, err := Verify(BucketProofs, key, row)
		if err == nil && !ok {
			err = DamagedError(BucketProofs, key)
		}
		if err != nil {
			return all, err
		}
		all = append(all, ProofLevels{k, bytes.Clone(value)})
	}
	return all, t.CheckMisplaced(BucketProofs, run[:])
}
