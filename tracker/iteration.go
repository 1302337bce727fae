package tracker

import (
	"bytes"
	"iter"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// ReadHead returns the number of iterations of the run and the link of the last one, or zero if the run has none.
func (t *Tx) ReadHead(id schema.Digest) (done int, link schema.Digest, err error) {
	key, row, err := t.rows.LastOf(rows.BucketIterations, id)
	if key == nil {
		return 0, link, err
	}
	if link, err = rows.DecodeLink(key, row); err != nil {
		return 0, link, err
	}
	k, ok := rows.PartNumber(key)
	if !ok {
		return 0, link, rows.DamagedError(rows.BucketIterations, key)
	}
	return k + 1, link, nil
}

// ReadIteration returns iteration k of the run.
func (t *Tx) ReadIteration(id schema.Digest, k int) (schema.Iteration, error) {
	key := rows.PartKey(id, k)
	row := t.rows.Bucket(rows.BucketIterations).Get(key)
	if row == nil {
		return schema.Iteration{}, storeerr.Missing("iteration %d of run %.12s", k, id)
	}
	return rows.DecodeIteration(key, row)
}

// ReadIterations returns all iterations of the run, in order.
func (t *Tx) ReadIterations(id schema.Digest) ([]schema.Iteration, error) {
	var its []schema.Iteration
	for key, row := range t.rows.WithPrefix(rows.BucketIterations, id[:]) {
		if !bytes.Equal(key, rows.PartKey(id, len(its))) {
			return its, storeerr.Damaged("run %s: iteration %d is missing", id, len(its))
		}
		it, err := rows.DecodeIteration(key, row)
		if err != nil {
			return its, err
		}
		its = append(its, it)
	}
	return its, t.rows.CheckMisplaced(rows.BucketIterations, id[:])
}

// A Checkpoint is a saved state within the current iteration. The format of State is the engine's.
type Checkpoint struct {
	State   []byte                  `cbor:"state"`
	Records wire.List[schema.Entry] `cbor:"records"`
}

// ReadCheckpoint returns the run's checkpoint, or nil if it has none.
func (t *Tx) ReadCheckpoint(id schema.Digest) (*Checkpoint, error) {
	return rows.ReadOptional[Checkpoint](t.rows, rows.BucketCheckpoints, id)
}

// A FinishedIteration is an iteration of a run with its number and its cost.
type FinishedIteration struct {
	K int
	schema.Iteration
	Cost Cost
}

// PutIteration writes iteration k of a run, whose records have no owner from then on, and its cost.
func (t *Tx) PutIteration(run schema.Digest, k int, it schema.Iteration, c Cost) error {
	if err := t.rows.PutIteration(run, k, it); err != nil {
		return err
	}
	return rows.Write(t.rows, rows.BucketCosts, rows.PartKey(run, k), c)
}

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
