package pod

import "github.com/podtrack/podtrack/schema"

// A StateMatrix is the matrix that a method on states learns from transitions, in their
// order. With a cumulative D the next iteration continues with it.
type StateMatrix interface {
	observe(m Transition)
	dataset() Dataset // the matrix to be factored
	clone() StateMatrix
}

// matrixDataset returns the dataset of rows that stand for states, each with count 1. A
// state of which nothing was learned has no row.
func matrixDataset(states int, row func(s int) []float64) Dataset {
	var rows []countedRow
	for s := range states {
		if r := row(s); r != nil {
			rows = append(rows, countedRow{schema.NewSparseRow(r), 1})
		}
	}
	return newDataset(states, rows)
}
