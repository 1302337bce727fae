package figure

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod"
)

// GridLayout holds the cells of a grid's states.
type GridLayout struct {
	Rows    int        `json:"rows"`
	Columns int        `json:"columns"`
	Cells   []pod.Cell `json:"cells"` // by state

	headings [][2]int // rows downwards and columns to the right, by action
}

// newGridLayout returns nil if the states of the environment have no place on a plane.
func newGridLayout(env pod.Env) *GridLayout {
	plane, ok := pod.As[pod.Plane](env)
	if !ok {
		return nil
	}
	m := plane.Plan()
	l := &GridLayout{Rows: m.Rows, Columns: m.Columns, Cells: m.Cells}
	for a := range env.Actions() {
		down, right := plane.Heading(a)
		l.headings = append(l.headings, [2]int{down, right})
	}
	return l
}

// place returns what the cell of a state is called.
func (plan GridLayout) place(state int) string {
	return fmt.Sprintf("r%dc%d", plan.Cells[state].Row, plan.Cells[state].Column)
}

// smallest is a largest value where all are 0.
const smallest = math.SmallestNonzeroFloat64

// panel returns the grid with coloured cells.
func (plan GridLayout) panel(of func(state int) ink) panel {
	p := panel{
		x: axis{
			label: "column", low: -0.5, high: float64(plan.Columns) - 0.5, plain: true,
			ticks: gridTicks(plan.Columns),
		},
		y: axis{
			label: "row", low: 0.5 - float64(plan.Rows), high: 0.5, plain: true,
			ticks: downwards(gridTicks(plan.Rows)),
		},
		aspect: float64(plan.Rows) / float64(plan.Columns),
	}
	p.marks = []mark{tiles{points: plan.points(), ink: of}}
	return p
}

// points returns the place of each state in the panel: rows count downwards.
func (plan GridLayout) points() []Point {
	points := make([]Point, len(plan.Cells))
	for s, c := range plan.Cells {
		points[s] = Point{float64(c.Column), -float64(c.Row)}
	}
	return points
}

// gridTicks returns ticks at every n-th row or column, so that they fit.
func gridTicks(n int) []tick {
	every := 1
	for n/every > 14 {
		every = (every/5 + 1) * 5
	}
	ticks := []tick{}
	for i := 0; i < n; i += every {
		ticks = append(ticks, tick{at: float64(i), text: fmt.Sprint(i)})
	}
	return ticks
}

// downwards returns the ticks of an axis that counts from the top.
func downwards(ticks []tick) []tick {
	for i := range ticks {
		ticks[i].at = -ticks[i].at
	}
	return ticks
}

// told returns the readouts of a grid's states.
func (plan GridLayout) told(text func(state int) string) told {
	m := told{half: 0.5}
	if len(plan.Cells) > maxReadouts {
		return m
	}
	for s, at := range plan.points() {
		m.add(at.X, at.Y, text(s))
	}
	return m
}
