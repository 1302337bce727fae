package tracker

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Validate returns an error unless podtrack can have written the run with done iterations: its specs must be
// valid, and a fork must have all iterations that it shares, since only they prove its ancestors.
func (r Run) Validate(done int) error {
	if (r.Start == nil) != (len(r.Ancestors) == 0) || done > MaxIterations {
		return storeerr.Damaged("row of run %.7s", r.ID)
	}
	begin := 0
	for _, a := range r.lineage() {
		if a.Until <= begin {
			return storeerr.Damaged("run %.7s: the order of its ancestors", r.ID)
		}
		if err := a.validate(); err != nil {
			return err
		}
		begin = a.Until
	}
	if n := len(r.Ancestors); n > 0 && done < r.Ancestors[n-1].Until {
		return storeerr.Damaged("fork %.7s with only %d of the %d iterations that it shares", r.ID, done,
			r.Ancestors[n-1].Until)
	}
	return nil
}

// validate returns an error unless the spec is valid and in normal form.
func (a Ancestor) validate() error {
	id, err := a.ID()
	if err != nil {
		return err
	}
	if err := a.Spec.Validate(); err != nil {
		return err
	}
	if again, err := a.ID(); err != nil || again != id {
		return errors.Join(fmt.Errorf("%w: it is not in normal form", schema.ErrSpec), err)
	}
	return nil
}

// A ShapeCheck returns an error if a record of iteration k of a run cannot have that shape.
type ShapeCheck func(k int, kind schema.Kind, shape schema.Shape) error

// ValidateRow returns an error unless podtrack can have written the verified value into the bucket, so that
// every reader of the row understands it.
func ValidateRow(bucket string, key, value []byte) error {
	if len(key) == 0 || !rows.HasKeySize(bucket, key) {
		return rows.DamagedError(bucket, key)
	}
	switch bucket {
	case rows.BucketPodtrack:
		if IsStudyKey(key) { // later versions may add other rows
			_, _, err := decodeStudy(key, value)
			return err
		}
	case rows.BucketRuns:
		r, err := decodeRun(key, value, nil)
		if err == nil && string(r.ID[:]) != string(key) {
			err = rows.DamagedError(bucket, key)
		}
		return err
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
			err = k.Validate()
		}
		return err
	}
	return nil
}

func checkDecodes[T any](bucket string, key, value []byte) error {
	_, err := rows.Decode[T](bucket, key, value)
	return err
}
