package tracker

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/rows"
)

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
	seen := map[string]bool{}
	for key := range t.rows.WithPrefix(rows.BucketTags, nil) {
		tag := string(key[min(len(key), len(schema.Digest{})):])
		if tag != "" && !seen[tag] {
			seen[tag], tags = true, append(tags, tag)
		}
	}
	return tags
}
