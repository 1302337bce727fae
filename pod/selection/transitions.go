package selection

import (
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

// StateTransitions returns transitions for purposes over states, restricted to some of them where all others are 0.
// each calls add for each transition with the coordinates of the state and the next state, −1 for one that has none,
// and how often the transition counts. The cosines are those over all states, since a purpose is 0 in the others.
func StateTransitions(each func(add func(from, to int, n int64))) Transitions {
	return func(add func(row schema.SparseRow, n int64)) {
		each(func(from, to int, n int64) {
			// in either direction: δδᵀ is the same
			low := schema.RowEntry{Feature: int32(min(from, to)), Value: 1}
			high := schema.RowEntry{Feature: int32(max(from, to)), Value: -1}
			switch {
			case from == to: // no reward, or outside
			case low.Feature < 0:
				add(schema.SparseRow{high}, n)
			default:
				add(schema.SparseRow{low, high}, n)
			}
		})
	}
}

// VisitModelEdges calls visit for each state and action of a simulated environment, with the state
// that it leads to where nothing slips.
func VisitModelEdges(env envs.SimulatedEnv, visit func(s, next int)) {
	for s := range env.States() {
		for a := range env.Actions() {
			visit(s, env.Step(s, a))
		}
	}
}
