package matrix

import (
	"fmt"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// touchedStates numbers the states that transitions began or ended in, in the order in which they first did. It takes
// memory only for these, and for no more of them than a matrix may have.
type touchedStates struct {
	stepwise
	spec   schema.Spec
	places map[int32]int32
	states []int32 // by place
	most   int     // 0 for no bound
}

func newTouchedStates(spec schema.Spec) touchedStates {
	t := touchedStates{spec: spec, places: map[int32]int32{}}
	if spec.StateSet == schema.VisitedStates {
		t.most = maxStates(spec) // [pod.NewEnvForSpec] bounds the number of all states
	}
	return t
}

// placeOf returns the place of a state, which it adds if it is new.
func (t *touchedStates) placeOf(s int32) int {
	p, known := t.places[s]
	if !known {
		p = int32(len(t.states))
		t.places[s], t.states = p, append(t.states, s)
	}
	return int(p)
}

// isFull reports whether there are more states than a matrix may have. Further transitions then do not matter.
func (t *touchedStates) isFull() bool { return t.most > 0 && len(t.states) > t.most }

func (t *touchedStates) clone() touchedStates {
	c := *t
	c.places, c.states = maps.Clone(t.places), slices.Clone(t.states)
	return c
}

// A stateRow visits the nonzero entries of a row of a matrix over states, by the place of a state.
type stateRow func(visit func(place int, x float64))

// CheckFull implements [StateMatrix].
func (t *touchedStates) CheckFull() error {
	if !t.isFull() {
		return nil
	}
	tooMany := fmt.Errorf("more than %d states were visited", t.most)
	return CheckStates(t.spec, len(t.states), tooMany, func(err error) error {
		return schema.Hint(err, AdviceFewerVisits, MaxMethodStates)
	})
}

// dataset returns the matrix of the given rows, each with count 1. Its columns are all states, of the given number, or
// those that were touched, in ascending order, if the spec says so.
func (t *touchedStates) dataset(states int, rows []stateRow) (linalg.Dataset, error) {
	if err := t.CheckFull(); err != nil {
		return linalg.Dataset{}, err
	}
	if states > schema.MaxRecordFeatures {
		return linalg.Dataset{}, schema.Hint(fmt.Errorf("purposes over %d observed states", states),
			"a purpose has a number for each state, of at most %d: observe less, or use method %s",
			schema.MaxRecordFeatures, schema.POD)
	}
	d, columns := linalg.Dataset{Dims: states}, t.states
	if t.spec.StateSet == schema.VisitedStates {
		d.Columns, d.AllFeatures = slices.Sorted(slices.Values(t.states)), states
		d.Dims, columns = len(d.Columns), make([]int32, len(t.states))
		for c, s := range d.Columns {
			columns[t.places[s]] = int32(c)
		}
	}
	counted := make([]linalg.CountedRow, len(rows))
	for i, visit := range rows {
		var row schema.SparseRow
		visit(func(place int, x float64) {
			if x != 0 {
				row = append(row, schema.RowEntry{Feature: columns[place], Value: x})
			}
		})
		slices.SortFunc(row, func(a, b schema.RowEntry) int { return int(a.Feature - b.Feature) })
		counted[i] = linalg.CountedRow{Row: row, Count: 1}
	}
	sorted := linalg.NewDataset(d.Dims, counted)
	d.Rows, d.Counts, d.Top = sorted.Rows, sorted.Counts, TopOf(t.spec, d.Dims)
	return d, nil
}
