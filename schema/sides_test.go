package schema_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestSides reads sides, of which two is absent from the spec's bytes.
func TestSides(t *testing.T) {
	for text, want := range map[string]schema.Sides{"two": schema.TwoSided, "": schema.TwoSided, "one": schema.OneSided} {
		s := paper()
		err := errors.Join(s.Set("sides", text), s.Validate())
		if err != nil || s.Sides != want {
			t.Errorf("%q: %q, %v", text, s.Sides, err)
		}
		if s.RecordsSelection() != (want == schema.OneSided) {
			t.Errorf("%q: the selection of threshold is recorded: %v", text, s.RecordsSelection())
		}
	}
	s := paper()
	if err := errors.Join(s.Set("sides", "both"), s.Validate()); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("both: %v", err)
	}
}

// TestMixedSigns: a selection gives each direction one sign, or none.
func TestMixedSigns(t *testing.T) {
	for _, signs := range [][2]schema.Sign{{1, 0}, {0, -1}, {1, 2}} {
		s := schema.Selection{Directions: []schema.Direction{{Sigma: 2, Sign: signs[0]}, {Sigma: 1, Sign: signs[1]}}}
		if _, err := s.Encode(); !errors.Is(err, schema.ErrMalformed) {
			t.Errorf("signs %v: %v", signs, err)
		}
	}
}
