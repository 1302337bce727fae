package tracker

import (
	"bytes"
	"math"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

// The functions of this file find runs by rows of other buckets than runs, which are fewer or
// smaller. They verify each row that they use. The order of the runs is undefined: see [ScanSome].

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

// FindTagged returns the runs with a tag for which match returns true, once for each such tag.
func (t *Tx) FindTagged(match func(tag string) bool) (ids []schema.Digest, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketTags, nil) {
		tag, err := decodeTag(key, row)
		if err != nil {
			return ids, err
		}
		if match(tag.Tag) {
			ids = append(ids, schema.Digest(key[:len(schema.Digest{})]))
		}
	}
	return ids, nil
}

// MinShortID is the shortest prefix of an ID that is shown, in hexadecimal digits.
const MinShortID = 7

// ShortID returns the shortest prefix of id, of at least 7 digits, that is unique among the runs.
func (t *Tx) ShortID(id schema.Digest) string {
	c := t.rows.Bucket(rows.BucketRuns).Cursor()
	after, _ := c.Seek(id[:])
	if bytes.Equal(after, id[:]) {
		after, _ = c.Next()
	}
	before, _ := c.Seek(id[:])
	if before == nil {
		before, _ = c.Last()
	} else {
		before, _ = c.Prev()
	}
	n := max(MinShortID, countCommonDigits(id, before)+1, countCommonDigits(id, after)+1)
	return id.String()[:min(n, 2*len(id))]
}

// countCommonDigits returns the number of leading hexadecimal digits that id and key share.
func countCommonDigits(id schema.Digest, key []byte) int {
	for i := range min(len(id), len(key)) {
		switch differ := id[i] ^ key[i]; {
		case differ > 0xf:
			return 2 * i
		case differ > 0:
			return 2*i + 1
		}
	}
	return 2 * min(len(id), len(key))
}
