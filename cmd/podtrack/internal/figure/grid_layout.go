package figure

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/envs"
)

// GridLayout holds the cells of a grid's states.
type GridLayout struct {
	Rows    int         `json:"rows"`
	Columns int         `json:"columns"`
	Cells   []envs.Cell `json:"cells"` // by state
}

// newGridLayout returns nil if the environment is no grid.
func newGridLayout(env envs.Env) *GridLayout {
	grid, ok := envs.As[*envs.Grid](env)
	if !ok {
		return nil
	}
	return &GridLayout{Rows: grid.Map.Rows, Columns: grid.Map.Columns, Cells: grid.Map.Cells}
}

// place returns what the cell of a state is called.
func (g GridLayout) place(state int) string {
	return fmt.Sprintf("r%dc%d", g.Cells[state].Row, g.Cells[state].Column)
}

// smallest is a largest value where all are 0.
const smallest = math.SmallestNonzeroFloat64

// maxGridAspect is the height of a grid by the width of its panel. A picture has a given width, and a corridor would
// be many pages high.
const maxGridAspect = 1.25

// panel returns the grid with coloured cells. A tall one stands in the middle.
func (g GridLayout) panel(of func(state int) chart.Ink) chart.Panel {
	rows, columns := float64(g.Rows), float64(g.Columns)
	beside := max(0, rows/maxGridAspect-columns) / 2 // columns on each side
	return chart.Panel{
		X: chart.Axis{
			Label: "column", Low: -0.5 - beside, High: columns - 0.5 + beside, Plain: true,
			Ticks: gridTicks(g.Columns, 1),
		},
		Y:      chart.Axis{Label: "row", Low: 0.5 - rows, High: 0.5, Plain: true, Ticks: gridTicks(g.Rows, -1)},
		Aspect: rows / (columns + 2*beside),
		Marks:  []chart.Mark{chart.Tiles{Points: g.points(), Ink: of}},
	}
}

// points returns the place of each state in the panel: rows count downwards.
func (g GridLayout) points() []chart.Point {
	points := make([]chart.Point, len(g.Cells))
	for s, c := range g.Cells {
		points[s] = chart.Point{X: float64(c.Column), Y: -float64(c.Row)}
	}
	return points
}

// gridTicks returns ticks at every n-th row or column, so that they fit: in the direction 1, or −1 from the top.
func gridTicks(n int, direction float64) []chart.Tick {
	every := 1
	for n/every > 14 {
		every = (every/5 + 1) * 5
	}
	ticks := []chart.Tick{}
	for i := 0; i < n; i += every {
		ticks = append(ticks, chart.Tick{At: direction * float64(i), Text: fmt.Sprint(i)})
	}
	return ticks
}

// told returns the readouts of a grid's states.
func (g GridLayout) told(text func(state int) string) chart.Readouts {
	m := chart.Readouts{Half: 0.5}
	if len(g.Cells) > chart.MaxReadouts {
		return m
	}
	for s, at := range g.points() {
		m.Add(at.X, at.Y, text(s))
	}
	return m
}
