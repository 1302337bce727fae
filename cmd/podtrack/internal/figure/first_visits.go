package figure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// firstVisits shows when a run first visited each state.
type firstVisits struct {
	Title      string
	Steps      int64 // of the run
	States     *int64
	Plan       *GridLayout // where states lie on a plane
	First      []explore.FirstVisit
	Boundaries []int64 // steps at which iterations begin, but for the first

	all     []explore.FirstVisit // of the run, so that all iterations have one scale
	columns int
	single  bool // of one iteration, and not all
	axis    palette.Axis
	count   int // of all states
}

var _ = Register(Kind{
	Name: "visits", Usage: "when a run first visited each state", Args: "RUN|RUN:K", Example: "ring0",
	Description: "On a grid by cell, elsewhere by state: of a ring, those on the left of the first state have\n" +
		"negative numbers. With RUN:K only the states that were first visited in that iteration.",
	ReadPart: func(_ context.Context, p Source, q Request) (Figure, error) {
		return readFirstVisits(p, q.Columns())
	},
})

// readFirstVisits reads when a run first visited each state, or which it first visited in one iteration, for a
// picture with so many pixel columns.
func readFirstVisits(p Source, columns int) (firstVisits, error) {
	f := firstVisits{Title: "First visits of " + p.name(), Plan: newGridLayout(p.Env), columns: columns,
		single: !p.WholeRun, axis: palette.StateAxis(p.Env), count: p.Env.States()}
	if err := cmp.Or(p.check(), p.checkStates()); err != nil {
		return f, err
	}
	x, err := explore.ReadVisits(p.View, p.Run)
	if err != nil {
		return f, err
	}
	f.First, f.all, f.States = x.First, x.First, x.States
	first, end := p.iterationRange()
	if end = min(end, len(x.Iterations)); f.single {
		it := x.Iterations[p.K]
		f.First = x.First[*it.Covered-*it.NewStates : *it.Covered]
	}
	f.Steps = x.Iterations[len(x.Iterations)-1].Steps
	for _, it := range x.Iterations[first : end-1] {
		f.Boundaries = append(f.Boundaries, it.Steps)
	}
	return f, nil
}

// Table implements [Figure].
func (f firstVisits) Table() DataTable {
	t := DataTable{Columns: []string{"state", "step"}}
	for _, v := range f.First {
		t.add(v.State, v.Steps)
	}
	return t
}

func (f firstVisits) caption() string {
	by := "state"
	if f.Plan != nil {
		by = "cell, shaded by rank"
	}
	return fmt.Sprintf("%s: steps before the first visit, by %s.", f.Title, by)
}

func (f firstVisits) chart() chart.Chart {
	c := chart.Chart{Title: f.Title, Columns: 1, Notes: []string{fmt.Sprintf("%d states.", len(f.First))}}
	if f.States != nil {
		c.Notes[0] = fmt.Sprintf("%d of the %d states that can be reached.", len(f.First), *f.States)
	}
	if f.Plan == nil {
		c.Panels = []chart.Panel{f.byState()}
		return c
	}
	late, ranks := 0.0, make([]float64, len(f.Plan.Cells))
	for i, v := range f.all { // by rank, since the last few may be much later than all others
		late, ranks[v.State] = float64(v.Steps), float64(i)
	}
	steps := slices.Repeat([]float64{-1}, len(f.Plan.Cells))
	for _, v := range f.First {
		steps[v.State] = float64(v.Steps)
	}
	p := f.Plan.panel(func(s int) chart.Ink {
		if steps[s] < 0 {
			return chart.Background
		}
		return visitInk(ranks[s] / float64(max(len(f.all)-1, 1)))
	})
	p.Marks = append(p.Marks, f.Plan.told(func(s int) string { return f.tell(f.Plan.place(s), steps[s]) }))
	c.Panels = []chart.Panel{p}
	c.Scale = &chart.Scale{Label: "steps before the first visit, by rank", Low: "0", High: textfmt.FormatExact(&late),
		Ink: visitInk}
	switch {
	case f.single:
		c.Notes = append(c.Notes, "Cells without colour were not first visited in this iteration.")
	case f.States == nil || int64(len(f.First)) < *f.States:
		c.Notes = append(c.Notes, "Cells without colour were not visited.")
	}
	return c
}

// tell describes a state by the steps before its first visit, −1 for none.
func (f firstVisits) tell(state string, steps float64) string {
	switch {
	case steps >= 0:
		return fmt.Sprintf("%s: first visited after %s steps", state, palette.Whole(int(steps)))
	case f.single:
		return state + ": not first visited in this iteration"
	}
	return state + ": not visited"
}

// visitInk returns the ink of a first visit by its place from the first one, 0, to the last, 1: the strongest for the
// first; the last is unlike a state that was not visited.
func visitInk(share float64) chart.Ink { return chart.DivergingInk(1 - 0.65*share) }

// byState returns a panel with a dot for each state, or for the first and the last that a pixel column has.
func (f firstVisits) byState() chart.Panel {
	p := chart.Panel{
		X: chart.EmptyAxis(f.axis.Label), Aspect: 0.5,
		Y: chart.Axis{Label: "steps before the first visit", Whole: true, Margin: true},
	}
	p.X.Whole, p.X.Plain, p.X.Margin = true, true, true
	place := func(state int) float64 { return float64(f.axis.PlaceOf(state, f.count)) }
	for _, v := range f.all {
		p.X.Include(place(v.State))
	}
	points := make([]chart.Point, 0, len(f.First))
	for _, v := range f.First {
		points = append(points, chart.Point{X: place(v.State), Y: float64(v.Steps)})
	}
	slices.SortFunc(points, func(a, b chart.Point) int { return int(a.X - b.X) })
	r := chart.NewReducer(p.X.Low, p.X.High, f.columns)
	for _, at := range points {
		r.Add(at.X, at.Y)
	}
	p.Y.Include(0, float64(f.Steps))
	for _, at := range f.Boundaries {
		p.Marks = append(p.Marks, chart.Rule{At: float64(at), Across: true, Ink: chart.Pale, Dash: chart.Dashed})
	}
	shown, t := r.Finish(), chart.Readouts{}
	for _, at := range shown {
		t.Add(at.X, at.Y, f.tell("state "+palette.Whole(int(at.X)), at.Y))
	}
	p.Marks = append(p.Marks, chart.Dots{Points: shown, Ink: chart.SeriesInk(0), Glyph: chart.Disc, Size: 1.2}, t)
	return p
}
