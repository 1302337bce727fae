package figure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestShades: nearly equal values have shades as far apart as others, equal ones the same, and 0 none.
func TestShades(t *testing.T) {
	got := shadesOf([]float64{0, 1, 0.5, 0.5000001, 0.5, 0})
	want := []float64{0, 1, lightest + (1-lightest)/3, lightest + (1-lightest)*2/3, lightest + (1-lightest)/3, 0}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
}
