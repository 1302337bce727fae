package figure

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/replay/grammar"
)

// fold lays states that lie on a line out in rows of equal length, so that all of them have room: on a ring, whose rows
// are as long as a power of two, a column is of the states with the same low bits.
type fold struct {
	states  int // of the environment
	size    int // states of a cell
	columns int // cells of a row
	rows    int
}

// maxFolded is the number of cells of a fold.
const maxFolded = 1 << 12

func newFold(states int) fold {
	f := fold{states: states, size: 1, columns: 1}
	for f.cells() > maxFolded {
		f.size *= 2
	}
	for f.columns*f.columns < f.cells() {
		f.columns *= 2
	}
	f.rows = (f.cells() + f.columns - 1) / f.columns
	return f
}

func (f fold) cells() int { return (f.states + f.size - 1) / f.size }

// panel returns a panel of a number for each cell, NaN where there is no state.
func (f fold) panel(of grammar.Axis, values []float64, color func(float64) ink) panel {
	rows := make([][]float64, f.rows)
	for i := range rows {
		rows[i] = make([]float64, f.columns)
		for j := range rows[i] {
			if rows[i][j] = math.NaN(); i*f.columns+j < len(values) {
				rows[i][j] = values[i*f.columns+j]
			}
		}
	}
	x := axis{label: "states from the first of the row on", low: -0.5, high: float64(f.columns) - 0.5, plain: true}
	for j := 0; j < f.columns; j += max(f.columns/4, 1) {
		x.ticks = append(x.ticks, tick{at: float64(j), text: fmt.Sprint(j * f.size)})
	}
	y := axis{label: of.Label + ", first of a row", low: 0.5 - float64(f.rows), high: 0.5, plain: true}
	for i := 0; i < f.rows; i += max(f.rows/8, 1) {
		text := grammar.Short(float64(of.First + i*f.columns*f.size))
		y.ticks = append(y.ticks, tick{at: -float64(i), text: text})
	}
	return panel{x: x, y: y, marks: []mark{cells{rows: rows, ink: color}},
		aspect: float64(f.rows) / float64(f.columns)}
}

// folded returns a panel with the step of the first visit of each cell, after so many steps.
func (f FirstVisits) folded(until int64, of func(float64) ink) panel {
	to := newFold(max(f.states, 1))
	values := make([]float64, to.cells())
	for i := range values {
		values[i] = -1
	}
	for _, v := range f.visitsUntil(until) {
		place := v.State
		if f.half > 0 { // a ring is cut opposite its coordinate 0
			place = (v.State + f.half) % to.states
		}
		if cell := place / to.size; values[cell] < 0 { // visits are in order
			values[cell] = float64(v.Steps)
		}
	}
	return to.panel(grammar.Axis{Label: f.axis, First: -f.half}, values, of)
}
