package linalg

import (
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	resume := func(height int) error { return (&decompositionState{Height: height}).check(1) }
	schematest.Limits{
		{"the height of a state", "", resume(maxDecompositionState), resume(maxDecompositionState + 1)},
	}.Check(t)
}

// TestReductionThatIsKept: a reduction is saved up to the largest size of a state.
func TestReductionThatIsKept(t *testing.T) {
	keeps := func(n int) bool { return reductionState(make([][]float64, n), 1) != nil }
	if !keeps(2508) || keeps(2509) {
		t.Errorf("of 2508 features %t, one more %t", keeps(2508), keeps(2509))
	}
}

// TestSavedDecompositionLimit: a state of the largest size is kept, and one with a row more is not.
func TestSavedDecompositionLimit(t *testing.T) {
	keep := func(height int) bool {
		s := &decompositionState{Live: make([]int, 1<<10), Height: height}
		return s.with(nil, nil) != nil
	}
	const most = maxDecompositionState/8>>10 - 1<<10
	if !keep(most) || keep(most+1) {
		t.Errorf("a height of %d is kept: %t, one more: %t", most, keep(most), keep(most+1))
	}
}
