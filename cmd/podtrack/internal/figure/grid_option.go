package figure

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

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
	plan := newGridLayout(p.Env)
	if plan == nil {
		return nil, nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	option, value, _, err := p.readOption(ctx, j, sign)
	if err != nil {
		return nil, err
	}
	return &GridOption{
		Title: "Option " + report.OptionRef(p.Label(), p.K, j, sign), Plan: *plan, Actions: p.Env.Actions(), Values: value,
		Policy: option.Policy,
	}, nil
}

// Table implements [Figure].
func (f GridOption) Table() DataTable {
	t := DataTable{Columns: []string{"state", "row", "column", "value", "action"}}
	for s, c := range f.Plan.Cells {
		action := "ends"
		if a := f.Policy[s]; a != schema.Terminate {
			action = f.Actions[a]
		}
		t.add(fmt.Sprint(s), fmt.Sprint(c.Row), fmt.Sprint(c.Column), textform.FormatExact(&f.Values[s]), action)
	}
	return t
}

func (f GridOption) caption() string {
	return f.Title + ": its values v by cell, arrows for its policy, and dots where it ends."
}

func (f GridOption) chart() Chart {
	largest := smallest
	for _, v := range f.Values {
		largest = max(largest, v)
	}
	p := f.Plan.panel(func(s int) ink { return diverging(f.Values[s] / largest) })
	p.marks = append(p.marks, f.arrows())
	return Chart{
		title: f.Title, columns: 1, panels: []panel{p},
		keys:  []key{{text: "ends here (outside I)", ink: faint, glyph: disc, bare: true}},
		scale: &scale{label: "value v", low: "0", high: grammar.Short(largest), ink: diverging},
	}
}

// arrows returns the policy: arrows in its direction, and dots where it ends.
func (f GridOption) arrows() arrows {
	m := arrows{points: f.Plan.points()}
	for _, action := range f.Policy {
		heading := Point{}
		if action != schema.Terminate {
			down, right := f.Plan.headings[action][0], f.Plan.headings[action][1]
			heading = Point{float64(right), -float64(down)}
		}
		m.headings = append(m.headings, heading)
	}
	return m
}
