package tracker

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
)

// Annotation is what can be changed about a run without changing its identity.
type Annotation struct {
	Name    string `cbor:"name" json:"name"`
	Note    string `cbor:"note" json:"note"`
	Created int64  `cbor:"created" json:"created"` // Unix time in nanoseconds
	Target  int    `cbor:"target" json:"target"`   // number of iterations to reach
	Failure string `cbor:"failure" json:"failure"` // of the last attempt, "" for none
}

// The largest note and failure in bytes. Together they fit into a row.
const (
	maxNote    = 512 << 10
	maxFailure = 64 << 10
)

// ReadAnnotation returns the run's annotation. Every run has one.
func (t *Tx) ReadAnnotation(id schema.Digest) (Annotation, error) {
	a, ok, err := readRow[Annotation](t, bucketAnnotations, id[:])
	if err == nil && !ok && t.hasRun(id) {
		err = damagedError("run %s: its annotation is gone", id)
	}
	if err == nil {
		err = a.validateName(id[:])
	}
	if err != nil {
		return Annotation{}, err
	}
	return a, nil
}

func (t *Tx) writeAnnotation(id schema.Digest, a Annotation) error {
	return writeRow(t, bucketAnnotations, id[:], a)
}

// updateAnnotation applies change to the annotation of an existing run.
func (t *Tx) updateAnnotation(id schema.Digest, change func(*Annotation)) error {
	if !t.hasRun(id) {
		return missingError("run %s", id)
	}
	a, err := t.ReadAnnotation(id)
	if err != nil {
		return err
	}
	before := a
	if change(&a); a == before {
		return nil
	}
	return t.writeAnnotation(id, a)
}

// SetNote replaces the run's note.
func (t *Tx) SetNote(id schema.Digest, note string) error {
	if !utf8.ValidString(note) {
		return fmt.Errorf("note: %w: it is not UTF-8", ErrInvalid)
	}
	if len(note) > maxNote {
		return schema.Hint(fmt.Errorf("note: %w: it has %d bytes", ErrInvalid, len(note)),
			"use up to %d bytes; a longer text belongs into a file that the note names", maxNote)
	}
	return t.updateAnnotation(id, func(a *Annotation) { a.Note = note })
}

// SetFailure records why the last attempt failed; "" clears it.
func (t *Tx) SetFailure(id schema.Digest, failure string) error {
	return t.updateAnnotation(id, func(a *Annotation) {
		a.Failure = strings.ToValidUTF8(failure[:min(len(failure), maxFailure)], "?")
	})
}

// SetName names the run. No other run may have that name; "" removes the name.
func (t *Tx) SetName(id schema.Digest, name string) error {
	if err := t.claimName(id, name); err != nil {
		return err
	}
	before, err := t.ReadAnnotation(id)
	if err != nil {
		return err
	}
	if before.Name != "" && before.Name != name {
		if err := t.removeRow(bucketNames, []byte(before.Name)); err != nil {
			return err
		}
	}
	return t.updateAnnotation(id, func(a *Annotation) { a.Name = name })
}

func (t *Tx) claimName(id schema.Digest, name string) error {
	if !t.hasRun(id) {
		return missingError("run %s", id)
	}
	if name == "" {
		return nil
	}
	if err := ValidateName(name); err != nil {
		return err
	}
	holder, ok, err := readRow[runRef](t, bucketNames, []byte(name))
	switch {
	case err != nil:
		return err
	case ok && holder.Run == id:
		return nil
	case ok:
		return schema.Hint(fmt.Errorf("name %q: %w by run %s", name, ErrTaken, t.ShortID(holder.Run)),
			"choose another name, or take this one away from run %s first", t.ShortID(holder.Run))
	}
	return writeRow(t, bucketNames, []byte(name), runRef{Run: id})
}

// ReadTags returns the run's tags, sorted.
func (t *Tx) ReadTags(id schema.Digest) ([]string, error) {
	var tags []string
	for key, row := range t.rowsWithPrefix(bucketTags, id[:]) {
		if _, err := decodeTag(key, row); err != nil {
			return tags, err
		}
		tags = append(tags, string(key[len(id):]))
	}
	return tags, t.checkMisplaced(bucketTags, id[:])
}

// decodeTag verifies and decodes a row of bucket tags.
func decodeTag(key, row []byte) (t tagRow, err error) {
	value, err := verifyRow(bucketTags, key, row)
	if err == nil {
		t, err = decodeRow[tagRow](bucketTags, key, value)
	}
	if err == nil {
		err = validateTagKey(key)
	}
	return t, err
}

// AddTag tags the run. A tag that the run has already keeps its time.
func (t *Tx) AddTag(id schema.Digest, tag string) error {
	if err := ValidateTag(tag); err != nil {
		return err
	}
	if !t.hasRun(id) {
		return missingError("run %s", id)
	}
	if t.buckets[bucketTags].Get(tagKey(id, tag)) != nil {
		return nil
	}
	return writeRow(t, bucketTags, tagKey(id, tag), tagRow{Added: t.store.now().UnixNano()})
}

// RemoveTag removes a tag from the run.
func (t *Tx) RemoveTag(id schema.Digest, tag string) error {
	if t.buckets[bucketTags].Get(tagKey(id, tag)) == nil {
		return missingError("tag %q of run %s", tag, t.ShortID(id))
	}
	return t.removeRow(bucketTags, tagKey(id, tag))
}
