package matrix

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// AdviceFewerVisits is advice of the errors of this file.
const AdviceFewerVisits schema.Advice = "visit fewer states in what is factored"

// touchedStates numbers the states that transitions began or ended in, in the order in which they first did. It takes
// memory only for these, and for no more of them than a matrix may have.
type touchedStates struct {
	places map[int32]int32
	states []int32 // by place
	most   int     // 0 for no bound
}

func newTouchedStates(most int) touchedStates {
	return touchedStates{places: map[int32]int32{}, most: most}
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
	c := touchedStates{places: make(map[int32]int32, len(t.places)), states: slices.Clone(t.states), most: t.most}
	for s, p := range t.places {
		c.places[s] = p
	}
	return c
}

// errTooManyStates reports that transitions touched more states than a method's matrix may have.
var errTooManyStates = fmt.Errorf("more than %d states were visited", MaxMethodStates)

// A stateRow visits the nonzero entries of a row of a matrix over states, by the place of a state.
type stateRow func(visit func(place int, x float64))

// checkFull returns an error if there are more states than a matrix may have.
func (t *touchedStates) checkFull() error {
	if t.isFull() {
		return schema.Advise(errTooManyStates, AdviceFewerVisits, MaxMethodStates)
	}
	return nil
}

// dataset returns the matrix of the given rows, each with count 1. With onlyTouched its columns are
// the touched states, in ascending order, of the given number of states; otherwise all states.
func (t *touchedStates) dataset(states int, onlyTouched bool, rows []stateRow) (linalg.Dataset, error) {
	if err := t.checkFull(); err != nil {
		return linalg.Dataset{}, err
	}
	if states > schema.MaxRecordFeatures {
		return linalg.Dataset{}, schema.Hint(fmt.Errorf("purposes over %d observed states", states),
			"a purpose has a number for each state, of at most %d: observe less, or use method %s",
			schema.MaxRecordFeatures, schema.POD)
	}
	d, columns := linalg.Dataset{Dims: states}, t.states
	if onlyTouched {
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
	d.Rows, d.Counts = sorted.Rows, sorted.Counts
	return d, nil
}

// MaxMethodStates is the largest number of states for the methods that factor a matrix
// over states: decomposing it takes time that grows with the third power.
const MaxMethodStates = 2048
