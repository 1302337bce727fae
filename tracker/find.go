package tracker

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
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
	before, _ := rows.SeekBefore(c, id[:])
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

const (
	minPrefix = 4 // shortest prefix that is accepted, in hexadecimal digits
	maxListed = 5 // number of candidates that an error lists
)

// Resolve returns the run that ref refers to: by a prefix of its ID or, if no ID has it, of its head, by name, or by @N
// for the N-th newest run.
func (t *Tx) Resolve(ref string) (Run, error) {
	id, err := t.resolve(ref)
	if err != nil {
		return Run{}, err
	}
	return t.readIndexedRun(id)
}

func (t *Tx) resolve(ref string) (schema.Digest, error) {
	if n, ok := strings.CutPrefix(ref, "@"); ok {
		return t.findNthNewest(ref, n)
	}
	if prefix := strings.ToLower(ref); isHex(prefix) {
		return t.findByPrefix(prefix)
	}
	named, ok, err := t.rows.ReadRef(rows.BucketNames, []byte(ref))
	if err == nil && !ok {
		err = schema.Hint(storeerr.Missing("run %q", ref), AdviceSearch, ref)
	}
	return named, err
}

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}

func (t *Tx) findNthNewest(ref, digits string) (schema.Digest, error) {
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n == 0 {
		return schema.Digest{}, schema.Hint(fmt.Errorf("run %q: %w: N of @N must be at least 1", ref, ErrInvalid),
			"@1 is the newest run, @2 the one before it")
	}
	c := t.rows.Bucket(rows.BucketOrder).Cursor()
	key, row := c.Last()
	for ; key != nil && n > 1; n-- {
		key, row = c.Prev() // rows in between are not verified
	}
	if key == nil {
		return schema.Digest{}, storeerr.Missing("run %q", ref)
	}
	return rows.DecodeRef(rows.BucketOrder, key, row)
}

func (t *Tx) findByPrefix(prefix string) (schema.Digest, error) {
	if len(prefix) < minPrefix {
		return schema.Digest{}, schema.Hint(fmt.Errorf("run %q: %w: too short", prefix, ErrInvalid),
			"give at least %d digits of its ID", minPrefix)
	}
	found := t.listByPrefix(prefix, maxListed+1)
	if len(found) == 0 {
		found = t.listByHead(prefix, maxListed+1)
	}
	switch len(found) {
	case 0:
		return schema.Digest{}, storeerr.Missing("run %q", prefix)
	case 1:
		return found[0], nil
	}
	return schema.Digest{}, t.ambiguousError(prefix, found)
}

// listByHead returns at most limit runs whose head begins with the given digits. It looks at all runs.
func (t *Tx) listByHead(prefix string, limit int) []schema.Digest {
	return t.listRuns(nil, limit, func(id schema.Digest) bool {
		done, head, err := t.ReadHead(id)
		return err == nil && done > 0 && strings.HasPrefix(head.String(), prefix)
	})
}

// listByPrefix returns at most limit runs whose IDs begin with the given digits.
func (t *Tx) listByPrefix(prefix string, limit int) []schema.Digest {
	whole, _ := hex.DecodeString(prefix[:len(prefix)&^1]) // without an odd last digit
	return t.listRuns(whole, limit, func(id schema.Digest) bool { return strings.HasPrefix(id.String(), prefix) })
}

func (t *Tx) listRuns(begin []byte, limit int, match func(schema.Digest) bool) (found []schema.Digest) {
	for key := range t.rows.WithPrefix(rows.BucketRuns, begin) {
		if id, err := rows.ParseRunKey(key); err == nil && len(found) < limit && match(id) {
			found = append(found, id)
		}
	}
	return found
}

func (t *Tx) ambiguousError(prefix string, found []schema.Digest) error {
	var list []string
	for _, id := range found[:min(len(found), maxListed)] {
		a, err := t.ReadAnnotation(id)
		if err != nil {
			return err
		}
		list = append(list, strings.TrimSpace(t.ShortID(id)+" "+a.Name))
	}
	if len(found) > maxListed {
		list = append(list, "…")
	}
	return schema.Hint(fmt.Errorf("run %q: %w: several runs begin with it", prefix, ErrInvalid),
		"give more digits: %s", strings.Join(list, ", "))
}
