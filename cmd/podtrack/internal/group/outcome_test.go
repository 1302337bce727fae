package group

import (
	"testing"
)

// TestSummariseOutcomes: a run without an outcome is left out, a censored one counts with the budget, beyond which the
// interval of the mean does not go.
func TestSummariseOutcomes(t *testing.T) {
	of := func(value float64, censored bool) Outcome { return Outcome{Value: &value, censored: censored} }
	s := summariseOutcomes([]Outcome{of(500, true), of(20, false), {}, of(500, true), of(500, true)})
	if s.N != 4 || *s.Mean != 380 || s.Censored != 3 || *s.Budget != 500 || *s.High != 500 || *s.Low != 0 {
		t.Errorf("%+v: from %g to %g", s, *s.Low, *s.High)
	}
	if s = summariseOutcomes([]Outcome{of(1, false), of(3, false)}); s.Censored != 0 || s.Budget != nil || *s.Low > 0 {
		t.Errorf("%+v", s)
	}
}
