package schema_test

import (
	"errors"
	"math"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestOptionProbabilityField reads probabilities; 0 is absent from the spec's bytes.
func TestOptionProbabilityField(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "-0": 0, "0.05": 0.05, "1": 1, "1e-9": 1e-9} {
		s := paper()
		err := errors.Join(s.Set("option_probability", text), s.Validate())
		if err != nil || s.OptionProbability != want || math.Signbit(s.OptionProbability) {
			t.Errorf("%q: %v, %v", text, s.OptionProbability, err)
		}
	}
	for _, p := range []float64{-0.1, 1.01, math.Inf(1), math.NaN()} {
		s := paper()
		s.OptionProbability = p
		if err := s.Validate(); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%v: %v", p, err)
		}
	}
	s := paper()
	if err := s.Set("option_probability", "often"); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("often: %v", err)
	}
}
