package tracker

import (
	"iter"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// namingBuckets lists the buckets whose rows name records.
var namingBuckets = []string{rows.BucketIterations, rows.BucketCheckpoints}

// A NamingRow is a row that names records.
type NamingRow struct {
	Bucket  string
	Key     []byte
	Records []schema.Entry
}

// NamingRows yields the rows that name records, of the given run or of all runs except the excluded ones. A
// damaged row comes with its error.
func (t *Tx) NamingRows(run []byte, excluded map[schema.Digest]bool) iter.Seq2[NamingRow, error] {
	return func(yield func(NamingRow, error) bool) {
		for _, bucket := range namingBuckets {
			for key, row := range t.rows.WithPrefix(bucket, run) {
				r := NamingRow{Bucket: bucket, Key: key}
				if excluded[r.Run()] {
					continue
				}
				var err error
				r.Records, err = NamedRecords(bucket, key, row)
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// Run returns the run of the row, truncated or padded with zeros if its key is damaged.
func (n NamingRow) Run() (id schema.Digest) {
	copy(id[:], n.Key)
	return id
}

// Iteration returns the number of the iteration of the row, or nil for a checkpoint.
func (n NamingRow) Iteration() *int {
	k, ok := rows.PartNumber(n.Key[:min(len(n.Key), len(schema.Digest{})+4)])
	if !ok {
		return nil
	}
	return &k
}

// NamedRecords returns the records that a row names.
func NamedRecords(bucket string, key, row []byte) ([]schema.Entry, error) {
	switch bucket {
	case rows.BucketIterations:
		it, err := rows.DecodeIteration(key, row)
		if _, ok := rows.PartNumber(key); !ok && err == nil {
			err = rows.DamagedError(bucket, key)
		}
		return it.Records, err
	case rows.BucketCheckpoints:
		c, err := rows.DecodeRow[Checkpoint](bucket, key, row)
		return c.Records, err
	}
	return nil, nil
}
