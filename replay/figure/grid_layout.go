package figure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// GridLayout holds the cells of a grid's states.
type GridLayout struct {
	Rows    int        `json:"rows"`
	Columns int        `json:"columns"`
	Cells   []pod.Cell `json:"cells"` // by state
}

// newGridLayout returns nil if the environment is not a grid.
func newGridLayout(env pod.Env) *GridLayout {
	g, ok := pod.As[*pod.Grid](env)
	if !ok {
		return nil
	}
	return &GridLayout{Rows: g.Map.Rows, Columns: g.Map.Columns, Cells: g.Map.Cells}
}

// GridOption shows an option on a grid: its values, its policy and its initiation set.
type GridOption struct {
	Title   string     `json:"title"`
	Plan    GridLayout `json:"plan"`
	Actions []string   `json:"actions"`
	Values  []float64  `json:"values"` // by state
	Policy  []int8     `json:"policy"`
}

// ReadGridOption reads an option of a grid. It returns nil if the environment is not a grid.
func ReadGridOption(ctx context.Context, p Source, j, sign int) (*GridOption, error) {
	plan := newGridLayout(p.Env())
	if plan == nil {
		return nil, nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	option, value, err := p.readOption(ctx, j, sign)
	if err != nil {
		return nil, err
	}
	return &GridOption{Title: "Option " +
		p.OptionRef(p.K, j, sign), Plan: *plan, Actions: p.Env().Actions(), Values: value, Policy: option.Policy}, nil
}

// Table implements [Figure].
func (f GridOption) Table() DataTable {
	t := DataTable{Columns: []string{"state", "row", "column", "value", "action"}}
	for s, c := range f.Plan.Cells {
		action := "ends"
		if a := f.Policy[s]; a != schema.Terminate {
			action = f.Actions[a]
		}
		t.add(fmt.Sprint(s), fmt.Sprint(c.Row), fmt.Sprint(c.Column), report.FormatExact(&f.Values[s]), action)
	}
	return t
}

func (f GridOption) chart() chart {
	largest := smallest
	for _, v := range f.Values {
		largest = max(largest, v)
	}
	p := f.Plan.panel(func(s int) ink { return diverging(f.Values[s] / largest) })
	p.marks = append(p.marks, arrows{plan: f.Plan, policy: f.Policy})
	return chart{
		title: f.Title, columns: 1, panels: []panel{p},
		keys:  []key{{text: "ends here (outside I)", ink: faint, glyph: disc, bare: true}},
		scale: &scale{label: "value v", low: "0", high: fmt.Sprintf("%.2g", largest), ink: diverging},
	}
}

// smallest is a largest value where all are 0.
const smallest = math.SmallestNonzeroFloat64

// panel returns the grid with coloured cells.
func (plan GridLayout) panel(of func(state int) ink) panel {
	p := panel{
		x: axis{
			label: "column", low: -0.5, high: float64(plan.Columns) - 0.5, plain: true,
			ticks: gridTicks(plan.Columns, 1),
		},
		y: axis{
			label: "row", low: 0.5 - float64(plan.Rows), high: 0.5, plain: true, ticks: gridTicks(plan.Rows, -1),
		},
		aspect: float64(plan.Rows) / float64(plan.Columns),
	}
	p.marks = []mark{tiles{plan: plan, ink: of}}
	return p
}

// gridTicks returns ticks at every n-th row or column, so that they fit.
func gridTicks(n int, way float64) []tick {
	every := 1
	for n/every > 14 {
		every = (every/5 + 1) * 5
	}
	ticks := []tick{}
	for i := 0; i < n; i += every {
		ticks = append(ticks, tick{at: way * float64(i), text: fmt.Sprint(i)})
	}
	return ticks
}

// tiles are the coloured cells of a grid; the rest is wall.
type tiles struct {
	plan GridLayout
	ink  func(state int) ink
}

func (m tiles) draw(p pen) {
	p.fill(withOpacity(neutral, 0.55), box(p.place.left, p.place.bottom, p.place.width, p.place.height))
	for s, c := range m.plan.Cells {
		low, high := p.at(float64(c.Column)-0.5, -float64(c.Row)-0.5), p.at(float64(c.Column)+0.5, 0.5-float64(c.Row))
		p.fill(m.ink(s), box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
	}
}

// arrows are a policy on a grid: arrows in its direction, and dots where it terminates.
type arrows struct {
	plan   GridLayout
	policy []int8
}

func (m arrows) draw(p pen) {
	size := p.place.width / float64(m.plan.Columns)
	for s, c := range m.plan.Cells {
		x, y := float64(c.Column), -float64(c.Row)
		if m.policy[s] == schema.Terminate {
			p.glyph(faint, disc, size/10, p.at(x, y))
			continue
		}
		down, right := pod.ActionDirection(int(m.policy[s]))
		dx, dy := float64(right), -float64(down)
		tip := p.at(x+0.3*dx, y+0.3*dy)
		p.stroke(foreground, size/14, solid, p.at(x-0.3*dx, y-0.3*dy), tip)
		p.stroke(foreground, size/14, solid, p.at(x+0.1*dx-0.16*dy, y+0.1*dy-0.16*dx), tip,
			p.at(x+0.1*dx+0.16*dy, y+0.1*dy+0.16*dx))
	}
}

// maxMaps is the number of grids in one picture.
const maxMaps = 12

// mapChart returns small grids of the first purposes' potentials.
func (f Purposes) mapChart() chart {
	c := chart{title: f.Title, columns: 4, narrow: 2, scale: divergingScale("w(s), each by its largest", 1)}
	for i, e := range f.Purposes[:min(len(f.Purposes), maxMaps)] {
		w := f.potentials[i]
		largest := max(slices.Max(w), -slices.Min(w), smallest)
		p := f.Plan.panel(func(s int) ink { return diverging(w[s] / largest) })
		p.title, p.x, p.y = fmt.Sprintf("%d/%d  σ %.3g", e.K, e.J, e.Sigma), p.x.bare(), p.y.bare()
		c.panels = append(c.panels, p)
	}
	if n := len(f.Purposes); n > maxMaps {
		c.notes = []string{fmt.Sprintf("The first %d of %d purposes. The data as CSV has all of them.", maxMaps, n)}
	}
	return c
}

// bare returns the axis without label and ticks.
func (a axis) bare() axis {
	a.label, a.ticks = "", []tick{}
	return a
}
