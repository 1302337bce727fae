package figure

import (
	"context"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// GridOption shows an option on a grid: its values, its policy and its initiation set.
type GridOption struct {
	Title   string     `json:"title"`
	Plan    GridLayout `json:"plan"`
	Actions []string   `json:"actions"`
	Values  []float64  `json:"values"` // by state
	Policy  []int8     `json:"policy"`
	Start   *int       `json:"start"` // nil if the option can start where it does not end
}

// ReadGridOption reads an option of a grid. It returns nil if the environment is not a grid.
func ReadGridOption(ctx context.Context, p Source, j, sign int) (*GridOption, error) {
	plan := newGridLayout(p.Env)
	if plan == nil {
		return nil, nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	option, value, err := p.readOption(j, sign)
	if err != nil {
		return nil, err
	}
	return &GridOption{
		Title: "Option " + report.OptionRef(p.Label(), p.K, j, sign), Plan: *plan, Actions: p.Env.Actions(), Values: value,
		Policy: option.Policy, Start: option.Purpose.Start,
	}, nil
}

// Table implements [Figure].
func (g GridOption) Table() DataTable {
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

func (g GridOption) caption() string {
	return g.Title + ": its values v by cell, arrows for its policy, and dots where it ends."
}

func (g GridOption) chart() chart.Chart {
	largest := smallest
	for _, v := range g.Values {
		largest = max(largest, v)
	}
	p := g.Plan.panel(func(s int) chart.Ink { return chart.DivergingInk(g.Values[s] / largest) })
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
		Scale: &chart.Scale{Label: "value v", Low: "0", High: palette.Short(largest), Ink: chart.DivergingInk},
	}
}

// startSize is the radius of the mark around the arrow of the start, in points.
const startSize = 6

// arrows returns the policy: arrows in its direction, and dots where it ends.
func (g GridOption) arrows() chart.Arrows {
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
