package tracker

import "github.com/podtrack/podtrack/schema"

// soundRow says whether a verified value is one that podtrack writes into a
// bucket, so that whatever reads the row will understand it.
func soundRow(bucket string, key, value []byte) error {
	if len(key) == 0 || !rightSize(bucket, key) {
		return damagedRow(bucket, key)
	}
	switch bucket {
	case bucketPodtrack:
		return soundPlan(key, value)
	case bucketRuns:
		return soundRun(key, value)
	case bucketIterations:
		return decodes[[]schema.Entry](bucket, key, value[min(len(value), len(schema.Digest{})):])
	case bucketCheckpoints:
		return decodes[Checkpoint](bucket, key, value)
	case bucketLeases:
		return decodes[Lease](bucket, key, value)
	case bucketAnnotations:
		a, err := decodeRow[Annotation](bucket, key, value)
		if err == nil {
			err = a.sound(key)
		}
		return err
	case bucketTags:
		err := decodes[tagRow](bucket, key, value)
		if err == nil {
			err = soundTag(key)
		}
		return err
	case bucketCosts:
		return decodes[Cost](bucket, key, value)
	case bucketSessions:
		return decodes[Session](bucket, key, value)
	case bucketEvaluations:
		_, err := decodeEvaluation(key, value)
		return err
	case bucketKeeps:
		k, err := decodeRow[Retention](bucket, key, value)
		if err == nil {
			err = k.valid()
		}
		return err
	}
	return nil
}

func decodes[T any](bucket string, key, value []byte) error {
	_, err := decodeRow[T](bucket, key, value)
	return err
}

// soundRun says whether a run's row is of the run that its key names.
func soundRun(key, value []byte) error {
	row, err := decodeRow[runRow](bucketRuns, key, value)
	if err != nil {
		return err
	}
	if id, err := schema.RunID(row.Spec, row.Start); err != nil || string(id[:]) != string(key) {
		return damagedRow(bucketRuns, key)
	}
	return nil
}
