package tracker

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ValidateRow returns an error unless podtrack can have written the verified value into the bucket, so that
// every reader of the row understands it.
func ValidateRow(bucket string, key, value []byte) error {
	if len(key) == 0 || !rows.HasKeySize(bucket, key) {
		return rows.DamagedError(bucket, key)
	}
	switch bucket {
	case rows.BucketPodtrack:
		return validatePodtrackRow(key, value)
	case rows.BucketRuns:
		return validateRunRow(key, value)
	case rows.BucketIterations:
		return checkDecodes[[]schema.Entry](bucket, key, value[min(len(value), len(schema.Digest{})):])
	case rows.BucketCheckpoints:
		return checkDecodes[Checkpoint](bucket, key, value)
	case rows.BucketLeases:
		return checkDecodes[Lease](bucket, key, value)
	case rows.BucketAnnotations:
		_, err := decodeAnnotation(key, value)
		return err
	case rows.BucketTags:
		err := checkDecodes[rows.Tag](bucket, key, value)
		if err == nil {
			err = validateTagKey(key)
		}
		return err
	case rows.BucketCosts:
		return checkDecodes[Cost](bucket, key, value)
	case rows.BucketSessions:
		return checkDecodes[Session](bucket, key, value)
	case rows.BucketKeeps:
		k, err := rows.Decode[Retention](bucket, key, value)
		if err == nil {
			err = k.validate()
		}
		return err
	}
	return nil
}

func checkDecodes[T any](bucket string, key, value []byte) error {
	_, err := rows.Decode[T](bucket, key, value)
	return err
}

// validateRunRow returns an error unless a run's row belongs to the run in its key.
func validateRunRow(key, value []byte) error {
	r, err := decodeRun(key, value, nil)
	if err == nil && string(r.ID[:]) != string(key) {
		err = rows.DamagedError(rows.BucketRuns, key)
	}
	return err
}

// PutVerifiedRow writes a verified row. It ignores rows of buckets that podtrack does not have: a forged file
// may have some.
func (t *Tx) PutVerifiedRow(bucket string, key, value []byte) error {
	if t.rows.Bucket(bucket) == nil {
		return nil
	}
	return t.rows.Put(bucket, key, value)
}
