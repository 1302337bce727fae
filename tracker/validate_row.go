package tracker

import "github.com/podtrack/podtrack/schema"

// validateRow returns an error unless a verified value can be podtrack's for that bucket, so that
// every reader of the row understands it.
func validateRow(bucket string, key, value []byte) error {
	if len(key) == 0 || !hasKeySize(bucket, key) {
		return damagedRowError(bucket, key)
	}
	switch bucket {
	case bucketPodtrack:
		return validatePlanRow(key, value)
	case bucketRuns:
		return validateRunRow(key, value)
	case bucketIterations:
		return checkDecodes[[]schema.Entry](bucket, key, value[min(len(value), len(schema.Digest{})):])
	case bucketCheckpoints:
		return checkDecodes[Checkpoint](bucket, key, value)
	case bucketLeases:
		return checkDecodes[Lease](bucket, key, value)
	case bucketAnnotations:
		a, err := decodeRow[Annotation](bucket, key, value)
		if err == nil {
			err = a.validateName(key)
		}
		return err
	case bucketTags:
		err := checkDecodes[tagRow](bucket, key, value)
		if err == nil {
			err = validateTagKey(key)
		}
		return err
	case bucketCosts:
		return checkDecodes[Cost](bucket, key, value)
	case bucketSessions:
		return checkDecodes[Session](bucket, key, value)
	case bucketEvaluations:
		_, err := decodeEvaluation(key, value)
		return err
	case bucketKeeps:
		k, err := decodeRow[Retention](bucket, key, value)
		if err == nil {
			err = k.validate()
		}
		return err
	}
	return nil
}

func checkDecodes[T any](bucket string, key, value []byte) error {
	_, err := decodeRow[T](bucket, key, value)
	return err
}

// validateRunRow returns an error unless a run's row belongs to the run in its key.
func validateRunRow(key, value []byte) error {
	row, err := decodeRow[runRow](bucketRuns, key, value)
	if err != nil {
		return err
	}
	if id, err := schema.RunID(row.Spec, row.Start); err != nil || string(id[:]) != string(key) {
		return damagedRowError(bucketRuns, key)
	}
	return nil
}
