package matrix

import (
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	touch := func(n int) error {
		return (&touchedStates{most: MaxMethodStates, states: make([]int32, n)}).checkFull()
	}
	observe := func(n int) error {
		_, err := (&touchedStates{}).dataset(n, true, nil)
		return err
	}
	schematest.CheckLimit(t, "states that were visited", "what is factored: 2048", touch(2048), touch(2049))
	schematest.CheckLimit(t, "states of a purpose", "of at most 1048576", observe(1<<20), observe(1<<20+1))
}
