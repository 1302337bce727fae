package figure

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

// Eigenpurpose shows one signed eigenpurpose: its weights by feature, or on a grid what it
// rewards, by cell.
type Eigenpurpose struct {
	Title    string      `json:"title"`
	Features []string    `json:"features"`
	Weights  []float64   `json:"weights"`
	Plan     *GridLayout `json:"plan,omitempty"` // where states lie on a plane

	potential []float64 // by state, where there is a plan
}

// ReadEigenpurpose reads an eigenpurpose that an iteration selected.
func ReadEigenpurpose(ctx context.Context, p Source, j, sign int) (Eigenpurpose, error) {
	f := Eigenpurpose{
		Title: "Eigenpurpose " + report.OptionRef(p.Label(), p.K, j, sign), Features: p.Env.Features(),
		Plan: newGridLayout(p.Env),
	}
	if err := p.check(); err != nil {
		return f, err
	}
	_, selected, err := p.Selection(p.K)
	if err != nil {
		return f, err
	}
	for _, e := range selected {
		if e.J != j || e.Sign != sign {
			continue
		}
		if f.Weights = padded(e.Vector, len(f.Features)); f.Plan != nil {
			f.potential = make([]float64, p.Env.States())
			p.Env.Potential(e.Vector, f.potential)
		}
		return f, nil
	}
	return f, schema.Advise(fmt.Errorf("%w: run %s, iteration %d: it has no purpose %s", ErrEmpty, p.Label(), p.K,
		report.OptionName(j, sign)), report.AdviceListRejected, p.Label())
}

// Table implements [Figure].
func (f Eigenpurpose) Table() DataTable {
	t := DataTable{Columns: []string{"feature", "weight"}}
	for i, x := range f.Weights {
		t.add(f.Features[i], textform.FormatExact(&x))
	}
	return t
}

func (f Eigenpurpose) caption() string {
	if f.Plan != nil {
		return f.Title + ": w(s), what it rewards the agent for moving up in, by cell."
	}
	return f.Title + ": weights of the features."
}

func (f Eigenpurpose) chart() Chart {
	if f.Plan == nil {
		return Chart{title: f.Title, columns: 1, panels: []panel{f.bars()}}
	}
	largest := smallest
	for _, w := range f.potential {
		largest = max(largest, math.Abs(w))
	}
	p := f.Plan.panel(func(s int) ink { return diverging(f.potential[s] / largest) })
	return Chart{title: f.Title, columns: 1, panels: []panel{p}, scale: divergingScale("potential w(s)", largest)}
}

// bars returns a panel with a bar for each weight.
func (f Eigenpurpose) bars() panel {
	p := panel{x: columnAxis("feature", f.Features), y: emptyAxis("weight"), aspect: 0.35}
	p.y.include(0)
	for i, w := range f.Weights {
		p.y.include(w)
		from, to := float64(i)-0.38, float64(i)+0.38
		of := diverging(math.Copysign(1, w))
		p.marks = append(p.marks, area{low: []Point{{from, 0}, {to, 0}}, high: []Point{{from, w}, {to, w}}, ink: of})
	}
	room := 0.05 * max(p.y.high-p.y.low, smallest)
	p.y.low, p.y.high = p.y.low-room, p.y.high+room
	p.marks = append(p.marks, rule{at: 0, across: true, ink: foreground})
	return p
}
