package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestLifetime reads lifetimes in their canonical form, by both names of the field.
func TestLifetime(t *testing.T) {
	for text, want := range map[string]struct {
		lifetime schema.Lifetime
		n        int
	}{
		"keep": {schema.KeepOptions, 0}, "": {schema.KeepOptions, 0}, "replace": {schema.ReplaceOptions, 1},
		"last=1": {schema.ReplaceOptions, 1}, "last=2": {"last=2", 2}, "last=007": {"last=7", 7},
		"last=1073741824": {"last=1073741824", 1 << 30},
	} {
		for _, key := range []string{"options", "lifetime"} {
			s := paper()
			err := errors.Join(s.Set(key, text), s.Validate())
			if err != nil || s.Options != want.lifetime || s.Options.Iterations() != want.n {
				t.Errorf("%s %q: %q of %d iterations, %v", key, text, s.Options, s.Options.Iterations(), err)
			}
		}
		s := paper()
		s.Options = schema.Lifetime(text) // as of a file
		if err := s.Validate(); err != nil || s.Options != want.lifetime {
			t.Errorf("%q of a file: %q, %v", text, s.Options, err)
		}
	}
	for _, text := range []string{"last", "last=", "last=0", "last=-1", "last=x", "last=1073741825", "Keep", "replace=1"} {
		s := paper()
		s.Options = schema.Lifetime(text)
		if err := s.Validate(); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%q: %v", text, err)
		}
		if err := s.Set("options", text); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFirstAvailable: iteration 5 has the options of 0 to 4, of 4, or of 3 and 4.
func TestFirstAvailable(t *testing.T) {
	for lifetime, want := range map[schema.Lifetime][3]int{
		schema.KeepOptions: {0, 0, 0}, schema.ReplaceOptions: {0, 0, 4}, "last=2": {0, 0, 3}, "last=9": {0, 0, 0},
	} {
		s := schema.Spec{Options: lifetime}
		if got := [3]int{s.FirstAvailable(0), s.FirstAvailable(1), s.FirstAvailable(5)}; got != want {
			t.Errorf("%q: from %v on, want %v", lifetime, got, want)
		}
	}
}
