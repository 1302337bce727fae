package tracker

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
)

// maxLabel is the longest name or tag, in bytes.
const maxLabel = 100

// ValidateName says whether a run can be called that. A name must not look like an
// ID, a reference, a filter or a flag.
func ValidateName(name string) error {
	switch {
	case !validLabel(name, "@:=,"), strings.HasPrefix(name, "-"):
		return schema.Hint(fmt.Errorf("name %q: %w", name, ErrInvalid),
			"use 1 to %d bytes without spaces, commas, @, : and =, and no - in front", maxLabel)
	case name == "help":
		return schema.Hint(fmt.Errorf("name %q: %w: it is a command's", name, ErrInvalid), "choose another name")
	case strings.Trim(name, "0123456789abcdefABCDEF") == "":
		return schema.Hint(fmt.Errorf("name %q: %w: it looks like an ID", name, ErrInvalid), "use a letter after f or a dash")
	}
	return nil
}

// ValidateTag says whether a run can be tagged with that.
func ValidateTag(tag string) error {
	if !validLabel(tag, "=,") {
		return schema.Hint(fmt.Errorf("tag %q: %w", tag, ErrInvalid), "use 1 to %d bytes without spaces, = and commas", maxLabel)
	}
	return nil
}

func validLabel(s, forbidden string) bool {
	return s != "" && len(s) <= maxLabel && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(forbidden, r)
	})
}

// validateName says whether the name is one that podtrack gives.
func (a Annotation) validateName(run []byte) error {
	if a.Name != "" && ValidateName(a.Name) != nil {
		return damagedRowError(bucketAnnotations, run)
	}
	return nil
}

// validateTagKey says whether a key ends in a tag that podtrack gives.
func validateTagKey(key []byte) error {
	if len(key) < len(schema.Digest{}) || ValidateTag(string(key[len(schema.Digest{}):])) != nil {
		return damagedRowError(bucketTags, key)
	}
	return nil
}
