package tracker

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
)

// A row of bucket iterations is the link followed by the list of records, so that the head of a run
// can be read without decoding the list.

// ReadHead returns the number of iterations of the run and the link of the last one, which is zero
// if there is none.
func (t *Tx) ReadHead(id schema.Digest) (done int, link schema.Digest, err error) {
	key, row, err := t.lastRow(bucketIterations, id)
	if key == nil {
		return 0, link, err
	}
	value, err := verifyRow(bucketIterations, key, row)
	if err != nil {
		return 0, link, err
	}
	k, ok := partNumber(key)
	if !ok || copy(link[:], value) != len(link) {
		return 0, link, damagedRowError(bucketIterations, key)
	}
	return k + 1, link, nil
}

// ReadIteration returns iteration k of the run.
func (t *Tx) ReadIteration(id schema.Digest, k int) (schema.Iteration, error) {
	key := partKey(id, k)
	row := t.buckets[bucketIterations].Get(key)
	if row == nil {
		return schema.Iteration{}, missingError("iteration %d of run %s", k, id)
	}
	return decodeIteration(key, row)
}

// ReadIterations returns all iterations of the run, in order.
func (t *Tx) ReadIterations(id schema.Digest) ([]schema.Iteration, error) {
	var its []schema.Iteration
	for key, row := range t.rowsWithPrefix(bucketIterations, id[:]) {
		if !bytes.Equal(key, partKey(id, len(its))) {
			return its, damagedError("run %s: iteration %d is gone", id, len(its))
		}
		it, err := decodeIteration(key, row)
		if err != nil {
			return its, err
		}
		its = append(its, it)
	}
	return its, t.checkMisplaced(bucketIterations, id[:])
}

// readLinks returns the links of all iterations of the run, in order.
func (t *Tx) readLinks(id schema.Digest) (links []schema.Digest, err error) {
	for key, row := range t.rowsWithPrefix(bucketIterations, id[:]) {
		if !bytes.Equal(key, partKey(id, len(links))) {
			return links, damagedError("run %s: iteration %d is gone", id, len(links))
		}
		value, err := verifyRow(bucketIterations, key, row)
		if err != nil {
			return links, err
		}
		if len(value) < len(id) {
			return links, damagedRowError(bucketIterations, key)
		}
		links = append(links, schema.Digest(value[:len(id)]))
	}
	return links, t.checkMisplaced(bucketIterations, id[:])
}

// prunedRecords returns the pruned records of the run's iterations.
func (t *Tx) prunedRecords(id schema.Digest) (names map[schema.Digest]bool, err error) {
	names = map[schema.Digest]bool{}
	if t.format < formatPruned {
		return names, nil
	}
	its, err := t.ReadIterations(id)
	for _, it := range its {
		for _, e := range it.Records {
			if t.IsPruned(e.Name) {
				names[e.Name] = true
			}
		}
	}
	return names, err
}

func decodeIteration(key, row []byte) (it schema.Iteration, err error) {
	value, err := verifyRow(bucketIterations, key, row)
	if err != nil {
		return it, err
	}
	if copy(it.Link[:], value) != len(it.Link) {
		return it, damagedRowError(bucketIterations, key)
	}
	records, err := decodeRow[entryList](bucketIterations, key, value[len(it.Link):])
	it.Records = records
	return it, err
}

func (t *Tx) putIteration(id schema.Digest, k int, it schema.Iteration) error {
	return t.putRow(bucketIterations, partKey(id, k), schema.AppendEntries(it.Link[:], it.Records))
}

// Checkpoint is a saved state within the current iteration. The format of State is the engine's.
type Checkpoint struct {
	State   []byte         `cbor:"state"`
	Records []schema.Entry `cbor:"records"`
}

// ReadCheckpoint returns the run's checkpoint, or nil if there is none.
func (t *Tx) ReadCheckpoint(id schema.Digest) (*Checkpoint, error) {
	return readOptional[Checkpoint](t, bucketCheckpoints, id)
}

func decodeCheckpoint(key, row []byte) (c Checkpoint, err error) {
	value, err := verifyRow(bucketCheckpoints, key, row)
	if err != nil {
		return c, err
	}
	return decodeRow[Checkpoint](bucketCheckpoints, key, value)
}

// readOptional reads a row of a run, or returns nil if there is none.
func readOptional[T any](t *Tx, bucket string, id schema.Digest) (*T, error) {
	v, ok, err := readRow[T](t, bucket, id[:])
	if !ok || err != nil {
		return nil, err
	}
	return &v, nil
}
