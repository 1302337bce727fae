package tracker

import (
	"math"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// The functions of this file find runs by rows of other buckets than runs, which are fewer or
// smaller. They verify each row that they decide by. The runs come in no order: see [ScanSome].

// FindByPrefix returns the runs whose IDs begin with the given lower-case hexadecimal digits.
func (t *Tx) FindByPrefix(digits string) []schema.Digest {
	if digits == "" || !isHex(digits) {
		return nil
	}
	return t.listByPrefix(digits, math.MaxInt)
}

// FindNamed returns the runs with a name for which match returns true.
func (t *Tx) FindNamed(match func(name string) bool) (ids []schema.Digest, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketNames, nil) {
		id, err := rows.DecodeRef(rows.BucketNames, key, row)
		if err != nil {
			return ids, err
		}
		if match(string(key)) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// FindTagged returns the runs with a tag for which match returns true, each as often as it has one.
func (t *Tx) FindTagged(match func(tag string) bool) (ids []schema.Digest, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketTags, nil) {
		if _, err := decodeTag(key, row); err != nil {
			return ids, err
		}
		id := schema.Digest(key[:len(schema.Digest{})])
		if match(string(key[len(id):])) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
