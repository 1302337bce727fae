package selection

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// Transitions calls add for each of some transitions with its row of feature differences and with how often it counts.
type Transitions func(add func(row schema.SparseRow, n int64))

// ModelTransitions returns all transitions of the environment's model, one for each state and action.
func ModelTransitions(env envs.SimulatedEnv) Transitions {
	return func(add func(row schema.SparseRow, n int64)) {
		m, classes := env.Model(), envs.RowClassesOf(env)
		counts := make([]int64, classes.RowClasses())
		for edge := range m.States * m.Actions {
			counts[classes.RowClass(edge/m.Actions, edge%m.Actions)]++
		}
		for class, n := range counts {
			if n > 0 {
				add(classes.RowDifference(class), n)
			}
		}
	}
}

// DataTransitions returns the rows of datasets, for environments without a model.
func DataTransitions(data ...linalg.Dataset) Transitions {
	largest := 0.0
	for _, d := range data {
		largest = max(largest, linalg.LargestOf(d.Rows))
	}
	return func(add func(row schema.SparseRow, n int64)) {
		var row schema.SparseRow
		for _, d := range data {
			for i, n := range d.Counts {
				row = row[:0]
				for _, e := range d.Rows[i] {
					row = append(row, schema.RowEntry{Feature: e.Feature, Value: divideBy(e.Value, largest)})
				}
				add(row, n)
			}
		}
	}
}

// A Projection maps purposes over states to coordinates: some of the states, where all others are 0, so that cosines
// are those over all states. The zero value is the identity.
type Projection struct {
	Coordinates []int32 // by state, −1 for none
	Dims        int     // how many there are
}

// NewProjection returns the projection to the states that the purpose of an option is not 0 in, or D has a column of.
func NewProjection(env envs.Env, options []*schema.Option, f schema.Factors) Projection {
	p := Projection{Coordinates: slices.Repeat([]int32{-1}, max(f.Features(), env.States()))}
	for _, s := range f.Columns {
		p.Coordinates[s] = 0
	}
	for _, o := range options {
		for s, x := range o.Purpose.Vector {
			if x != 0 {
				p.Coordinates[s] = 0
			}
		}
	}
	for s, at := range p.Coordinates {
		if at == 0 {
			p.Coordinates[s] = int32(p.Dims)
			p.Dims++
		}
	}
	return p
}

// Apply returns the coordinates of a vector.
func (p Projection) Apply(v []float64) []float64 {
	if p.Coordinates == nil {
		return v
	}
	out := make([]float64, p.Dims)
	for s, x := range v {
		if at := p.Coordinates[s]; at >= 0 {
			out[at] = x
		}
	}
	return out
}

// Transitions returns the transitions of env's model, where nothing slips, one for each state and action, or the
// observed ones if it has none, by their coordinates.
func (p Projection) Transitions(env envs.Env, observed envs.TransitionCounts) Transitions {
	return func(add func(row schema.SparseRow, n int64)) {
		addEdge := func(s, next int, n int64) {
			// in either direction: δδᵀ is the same
			from, to := p.Coordinates[s], p.Coordinates[next]
			low := schema.RowEntry{Feature: min(from, to), Value: 1}
			high := schema.RowEntry{Feature: max(from, to), Value: -1}
			switch {
			case from == to: // no reward, or outside
			case low.Feature < 0:
				add(schema.SparseRow{high}, n)
			default:
				add(schema.SparseRow{low, high}, n)
			}
		}
		if e, ok := envs.As[envs.SimulatedEnv](env); ok {
			for s := range e.States() {
				for a := range e.Actions() {
					addEdge(s, e.Step(s, a), 1)
				}
			}
			return
		}
		for _, m := range observed {
			addEdge(int(m.State), int(m.Next), m.Count)
		}
	}
}
