package tracker

import "github.com/podtrack/podtrack/schema"

// referencedRecords returns the records that a row of iterations, checkpoints or evaluations
// names.
func referencedRecords(bucket string, key, row []byte) ([]schema.Entry, error) {
	switch bucket {
	case bucketIterations:
		it, err := decodeIteration(key, row)
		return it.Records, err
	case bucketCheckpoints:
		c, err := decodeCheckpoint(key, row)
		return c.Records, err
	default:
		e, err := decodeEvaluationRow(key, row)
		return []schema.Entry{e.entry()}, err
	}
}
