package tracker

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// An Annotation holds the properties of a run that can change without changing its identity.
type Annotation struct {
	Name    string `cbor:"name" json:"name"`
	Note    string `cbor:"note" json:"note"`
	Created int64  `cbor:"created" json:"created"` // Unix time in nanoseconds
	Target  int    `cbor:"target" json:"target"`   // number of iterations to reach
	Failure string `cbor:"failure" json:"failure"` // of the last attempt, "" for none

	// Open is set while more iterations may follow, whatever the target: a recording that was not closed.
	Open bool `cbor:"open,omitempty" json:"open,omitempty"`
}

// The largest note and failure in bytes. Together they fit into a row.
const (
	maxNote    = 512 << 10
	maxFailure = 64 << 10
)

// ReadAnnotation returns the run's annotation. Every run has one.
func (t *Tx) ReadAnnotation(id schema.Digest) (Annotation, error) {
	value, err := t.rows.Get(rows.BucketAnnotations, id[:])
	switch {
	case err != nil:
		return Annotation{}, err
	case value == nil && t.rows.HasRun(id):
		return Annotation{}, storeerr.Damaged("run %s: its annotation is missing", id)
	case value == nil:
		return Annotation{}, nil
	}
	return decodeAnnotation(id[:], value)
}

// VisitAnnotations calls visit for each run, in the order of their IDs, until it returns an error.
func (t *Tx) VisitAnnotations(visit func(schema.Digest, Annotation) error) error {
	for key, row := range t.rows.WithPrefix(rows.BucketAnnotations, nil) {
		id, err := rows.ParseRunKey(key)
		if err != nil {
			return rows.DamagedError(rows.BucketAnnotations, key)
		}
		value, err := rows.Verify(rows.BucketAnnotations, key, row)
		if err != nil {
			return err
		}
		a, err := decodeAnnotation(key, value)
		if err == nil {
			err = visit(id, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decodeAnnotation(key, value []byte) (Annotation, error) {
	a, err := rows.DecodeFast(rows.BucketAnnotations, key, value, (*Annotation).decodeFast)
	if err == nil && a.Name != "" && ValidateName(a.Name) != nil {
		err = rows.DamagedError(rows.BucketAnnotations, key) // podtrack would not accept the name
	}
	if err != nil {
		return Annotation{}, err
	}
	return a, nil
}

func (a *Annotation) decodeFast(r *wire.CBORReader) {
	r.ReadMap(5)
	r.ReadKey("name")
	a.Name = r.ReadText()
	r.ReadKey("note")
	a.Note = r.ReadText()
	r.ReadKey("target")
	a.Target = r.ReadInt()
	r.ReadKey("created")
	a.Created = r.ReadInt64()
	r.ReadKey("failure")
	a.Failure = r.ReadText()
}

// PutAnnotation writes the annotation of a run.
func (t *Tx) PutAnnotation(id schema.Digest, a Annotation) error {
	return rows.Write(t.rows, rows.BucketAnnotations, id[:], a)
}

// UpdateAnnotation applies change to the annotation of an existing run.
func (t *Tx) UpdateAnnotation(id schema.Digest, change func(*Annotation)) error {
	if !t.rows.HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	a, err := t.ReadAnnotation(id)
	if err != nil {
		return err
	}
	before := a
	if change(&a); a == before {
		return nil
	}
	return t.PutAnnotation(id, a)
}

// SetNote replaces the run's note.
func (t *Tx) SetNote(id schema.Digest, note string) error {
	if !utf8.ValidString(note) {
		return fmt.Errorf("a note that is not UTF-8: %w", ErrInvalid)
	}
	if len(note) > maxNote {
		return schema.Hint(fmt.Errorf("a note of %d bytes: %w", len(note), ErrInvalid),
			"use up to %d bytes; put a longer text into a file, and name that in the note", maxNote)
	}
	return t.UpdateAnnotation(id, func(a *Annotation) { a.Note = note })
}

// SetFailure records why the last attempt failed; "" clears it.
func (t *Tx) SetFailure(id schema.Digest, failure string) error {
	return t.UpdateAnnotation(id, func(a *Annotation) {
		a.Failure = strings.ToValidUTF8(failure[:min(len(failure), maxFailure)], "?")
	})
}

// CheckNewName returns [ErrNamed] if the run has another name.
func (t *Tx) CheckNewName(id schema.Digest, name string) error {
	a, err := t.ReadAnnotation(id)
	if err == nil && a.Name != "" && a.Name != name {
		err = schema.Hint(fmt.Errorf("name %q: %w: %s, named %s", name, ErrNamed, t.ShortID(id), a.Name),
			AdviceRename, a.Name, name)
	}
	return err
}

// GiveName names the run like [Tx.SetName], unless it has another name, which is an error.
func (t *Tx) GiveName(id schema.Digest, name string) error {
	if err := t.CheckNewName(id, name); err != nil {
		return err
	}
	return t.SetName(id, name)
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
		if err := t.rows.Remove(rows.BucketNames, []byte(before.Name)); err != nil {
			return err
		}
	}
	return t.UpdateAnnotation(id, func(a *Annotation) { a.Name = name })
}

func (t *Tx) claimName(id schema.Digest, name string) error {
	if !t.rows.HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	if name == "" {
		return nil
	}
	if err := ValidateName(name); err != nil {
		return err
	}
	holder, ok, err := t.rows.ReadRef(rows.BucketNames, []byte(name))
	switch {
	case err != nil:
		return err
	case ok && holder == id:
		return nil
	case ok:
		return schema.Hint(fmt.Errorf("name %q: %w by run %s", name, ErrTaken, t.ShortID(holder)),
			AdviceOtherName, t.ShortID(holder))
	}
	return t.rows.PutRef(rows.BucketNames, []byte(name), id)
}

// A TagRow is a tag of a run as stored.
type TagRow struct {
	Tag   string
	Added int64 // Unix time in nanoseconds
}

// ReadTagRows returns the run's tags as stored, sorted.
func (t *Tx) ReadTagRows(id schema.Digest) (tags []TagRow, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketTags, id[:]) {
		tag, err := decodeTag(key, row)
		if err != nil {
			return tags, err
		}
		tags = append(tags, tag)
	}
	return tags, t.rows.CheckMisplaced(rows.BucketTags, id[:])
}

// ReadTags returns the run's tags, sorted.
func (t *Tx) ReadTags(id schema.Digest) (tags []string, err error) {
	stored, err := t.ReadTagRows(id)
	for _, row := range stored {
		tags = append(tags, row.Tag)
	}
	return tags, err
}

func decodeTag(key, row []byte) (TagRow, error) {
	tag, err := rows.DecodeRow[rows.Tag](rows.BucketTags, key, row)
	if err == nil {
		err = validateTagKey(key)
	}
	if err != nil {
		return TagRow{}, err
	}
	return TagRow{string(key[len(schema.Digest{}):]), tag.Added}, nil
}

// AddTag tags the run. A tag that the run already has keeps its time.
func (t *Tx) AddTag(id schema.Digest, tag string) error {
	if err := ValidateTag(tag); err != nil {
		return err
	}
	if !t.rows.HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	if t.rows.Bucket(rows.BucketTags).Get(rows.TagKey(id, tag)) != nil {
		return nil
	}
	return rows.Write(t.rows, rows.BucketTags, rows.TagKey(id, tag), rows.Tag{Added: t.store.Now().UnixNano()})
}

// RemoveTag removes a tag from the run.
func (t *Tx) RemoveTag(id schema.Digest, tag string) error {
	if t.rows.Bucket(rows.BucketTags).Get(rows.TagKey(id, tag)) == nil {
		return storeerr.Missing("tag %q of run %s", tag, t.ShortID(id))
	}
	return t.rows.Remove(rows.BucketTags, rows.TagKey(id, tag))
}

// MaxLabel is the length in bytes of the longest name or tag.
const MaxLabel = 100

// ValidateName returns [ErrInvalid] unless a run can have that name. A name must not look like an ID, a
// reference, a filter or a flag.
func ValidateName(name string) error {
	switch {
	case !validLabel(name, "@:=<>~,"), strings.HasPrefix(name, "-"):
		return schema.Hint(fmt.Errorf("name %q: %w", name, ErrInvalid),
			"use 1 to %d bytes without spaces, commas, @, :, =, <, > and ~, not beginning with -", MaxLabel)
	case name == "help":
		return schema.Hint(fmt.Errorf("name %q: %w: a command has it", name, ErrInvalid), "choose another name")
	case strings.Trim(name, "0123456789abcdefABCDEF") == "":
		return schema.Hint(fmt.Errorf("name %q: %w: it looks like an ID, which has only digits and the "+
			"letters a to f", name, ErrInvalid), "add another character, as in %s", "run-"+name)
	}
	return nil
}

// ValidateTag returns [ErrInvalid] unless a run can have that tag.
func ValidateTag(tag string) error {
	if !validLabel(tag, "=,") {
		return schema.Hint(fmt.Errorf("tag %q: %w", tag, ErrInvalid), "use 1 to %d bytes without spaces, = and commas",
			MaxLabel)
	}
	return nil
}

func validLabel(s, forbidden string) bool {
	return s != "" && len(s) <= MaxLabel && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(forbidden, r)
	})
}

// validateTagKey returns [ErrDamaged] unless the key ends in a valid tag.
func validateTagKey(key []byte) error {
	if len(key) < len(schema.Digest{}) || ValidateTag(string(key[len(schema.Digest{}):])) != nil {
		return rows.DamagedError(rows.BucketTags, key)
	}
	return nil
}

// RunNames returns the names of runs, for suggestions: they are not verified.
func (t *Tx) RunNames() (names []string) {
	for key := range t.rows.WithPrefix(rows.BucketNames, nil) {
		names = append(names, string(key))
	}
	return names
}

// Tags returns each tag of any run once, for suggestions: they are not verified.
func (t *Tx) Tags() (tags []string) {
	for key := range t.rows.WithPrefix(rows.BucketTags, nil) {
		if tag := string(key[min(len(key), len(schema.Digest{})):]); tag != "" {
			tags = append(tags, tag)
		}
	}
	return rows.Dedupe(tags)
}
