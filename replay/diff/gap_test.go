package diff

import "testing"

// TestGapOf: a gap is a share of the singular value, and one that is 0 or alone has none.
func TestGapOf(t *testing.T) {
	for j, want := range map[int]float64{1: 0.25, 2: 1. / 3} {
		if got := gapOf([]float64{4, 3, 0, 0}, j); got == nil || *got != want {
			t.Errorf("of %d: %v, want %v", j, got, want)
		}
	}
	for _, j := range []int{0, 3, 4, 5} {
		if got := gapOf([]float64{4, 3, 0, 0}, j); got != nil {
			t.Errorf("of %d: %v", j, *got)
		}
	}
	if got := gapOf([]float64{4}, 1); got != nil {
		t.Errorf("of the only one: %v", *got)
	}
}
