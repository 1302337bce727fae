package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// gridOption shows an option on a grid: its values, its policy and its initiation set.
type gridOption struct {
	Title   string
	Plan    GridLayout
	Actions []string
	Values  []float64 // by state
	Policy  []int8
	Start   *int // nil if the option can start where it does not end
}

// Table implements [Figure].
func (g gridOption) Table() DataTable {
	t := DataTable{Columns: []string{"state", "row", "column", "value", "action"}}
	for s, c := range g.Plan.Cells {
		action := "ends"
		if a := g.Policy[s]; a != schema.Terminate {
			action = g.Actions[a]
		}
		t.add(s, c.Row, c.Column, g.Values[s], action)
	}
	return t
}

func (g gridOption) caption() string {
	return g.Title + ": its values v by cell, shaded by rank, arrows for its policy, and dots where it ends."
}

func (g gridOption) chart() chart.Chart {
	largest := max(slices.Max(g.Values), smallest)
	shades := shadesOf(g.Values)
	p := g.Plan.panel(func(s int) chart.Ink { return chart.DivergingInk(shades[s]) })
	keys := []chart.Key{{Text: endsText(g.Start), Ink: chart.Faint, Glyph: chart.Disc, Bare: true}}
	if g.Start != nil {
		start := chart.Key{Text: startsName, Ink: chart.SeriesInk(1), Glyph: chart.Ring, Bare: true}
		keys = append(keys, start)
		p.Marks = append(p.Marks, chart.Dots{Points: g.Plan.points()[*g.Start : *g.Start+1], Ink: start.Ink,
			Glyph: start.Glyph, Size: startSize})
	}
	p.Marks = append(p.Marks, g.arrows())
	return chart.Chart{
		Title: g.Title, Columns: 1, Panels: []chart.Panel{p}, Keys: keys,
		Scale: &chart.Scale{Label: "value v, by rank", Low: "0", High: palette.Short(largest), Ink: chart.DivergingInk},
	}
}

// shadesOf returns a shade for each value: its place among the distinct ones that are not 0, so that values which most
// cells nearly share can be told apart. The shade of 0 is 0.
func shadesOf(values []float64) []float64 {
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	distinct = slices.DeleteFunc(distinct, func(v float64) bool { return v == 0 })
	shades := make([]float64, len(values))
	for s, v := range values {
		if at, found := slices.BinarySearch(distinct, v); found {
			shades[s] = lightest + (1-lightest)*float64(at+1)/float64(len(distinct))
		}
	}
	return shades
}

const lightest = 0.12 // shade that is still unlike none

const startSize = 6 // radius of the mark around the arrow of the start, in points

// arrows returns the policy: arrows in its direction, and dots where it ends.
func (g gridOption) arrows() chart.Arrows {
	m := chart.Arrows{Points: g.Plan.points()}
	for _, action := range g.Policy {
		heading := chart.Point{}
		if action != schema.Terminate {
			down, right := envs.Directions[action][0], envs.Directions[action][1]
			heading = chart.Point{X: float64(right), Y: -float64(down)}
		}
		m.Headings = append(m.Headings, heading)
	}
	return m
}

// GridLayout holds the cells of a grid's states.
type GridLayout struct {
	Rows    int
	Columns int
	Cells   []envs.Cell // by state
}

// newGridLayout returns nil if the environment is no grid.
func newGridLayout(env envs.Env) *GridLayout {
	grid, ok := envs.As[*envs.Grid](env)
	if !ok {
		return nil
	}
	return &GridLayout{Rows: grid.Map.Rows, Columns: grid.Map.Columns, Cells: grid.Map.Cells}
}

// potential returns w(s) of a purpose by state, nil where states have no place on a plane.
func (g *GridLayout) potential(env envs.Env, vector []float64) []float64 {
	if g == nil {
		return nil
	}
	w := make([]float64, env.States())
	env.Potential(vector, w)
	return w
}

// place returns what the cell of a state is called.
func (g GridLayout) place(state int) string {
	return fmt.Sprintf("r%dc%d", g.Cells[state].Row, g.Cells[state].Column)
}

const smallest = math.SmallestNonzeroFloat64 // a largest value where all are 0

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
