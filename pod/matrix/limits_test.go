package matrix

import (
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	touch := func(spec schema.Spec, n int) error {
		spec.StateSet = schema.VisitedStates
		m := newTouchedStates(spec)
		m.states = make([]int32, n)
		return m.CheckFull()
	}
	visit := func(n int) error { return touch(schema.Spec{Method: schema.Successor}, n) }
	all := func(n int) error { return touch(schema.Spec{Method: schema.Laplacian, Select: "energy=0.9"}, n) }
	rows := func(n int) error {
		return touch(schema.Spec{Method: schema.Laplacian, Select: "top=7", Basis: schema.RowsOfV}, n)
	}
	top := func(n int) error { return touch(schema.Spec{Method: schema.Laplacian, Select: "top=7"}, n) }
	many := func(n int) error { return touch(schema.Spec{Method: schema.Laplacian, Select: "top=4000"}, n) }
	observe := func(n int) error {
		m := newTouchedStates(schema.Spec{})
		_, err := m.dataset(n, nil)
		return err
	}
	schematest.Limits{
		{"states that were visited", "what is factored: 2048", visit(2048), visit(2049)},
		{"states of all directions", "up to 2048 states", all(2048), all(2049)},
		{"states of rows of V", "up to 2048 states", rows(2048), rows(2049)},
		{"states of 7 directions", "7 of them are over 599186", top(599186), top(599187)},
		{"states of 4000 directions", "4000 of them are over 2048", many(2048), many(2049)},
		{"states of a purpose", "of at most 1048576", observe(1 << 20), observe(1<<20 + 1)},
	}.Check(t)
}
