package tracker

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

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
