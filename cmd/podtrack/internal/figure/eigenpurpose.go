package figure

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/replay/report"
)

// Eigenpurpose shows one signed eigenpurpose: its weights by feature, or on a grid what it rewards, by cell.
type Eigenpurpose struct {
	Title    string
	Features []string
	Weights  []float64
	Plan     *GridLayout // where states lie on a plane

	potential []float64 // by state, where there is a plan
}

// ReadEigenpurpose reads an eigenpurpose that an iteration selected.
func ReadEigenpurpose(p Source, ref report.Ref) (Eigenpurpose, error) {
	f := Eigenpurpose{
		Title: "Eigenpurpose " + report.OptionRef(p.Label(), ref.K, ref.J, ref.Sign), Features: p.Env.Features(),
		Plan: newGridLayout(p.Env),
	}
	at, err := report.FindPurpose(p.Records, ref)
	if err != nil {
		return f, err
	}
	_, selected, err := p.Selection(ref.K)
	if err == nil {
		f.Weights, f.potential = padded(selected[at].Vector, len(f.Features)), f.Plan.potential(p.Env, selected[at].Vector)
	}
	return f, err
}

// Table implements [Figure].
func (e Eigenpurpose) Table() DataTable {
	t := DataTable{Columns: []string{"feature", "weight"}}
	for i, x := range e.Weights {
		t.add(e.Features[i], x)
	}
	return t
}

func (e Eigenpurpose) caption() string {
	if e.Plan != nil {
		return e.Title + ": w(s), what it rewards the agent for moving up in, by cell."
	}
	return e.Title + ": weights of the features."
}

func (e Eigenpurpose) chart() chart.Chart {
	if e.Plan == nil {
		return chart.Chart{Title: e.Title, Columns: 1, Panels: []chart.Panel{e.bars()}}
	}
	largest := max(slices.Max(e.potential), -slices.Min(e.potential), smallest)
	p := e.Plan.panel(func(s int) chart.Ink { return chart.DivergingInk(e.potential[s] / largest) })
	return chart.Chart{Title: e.Title, Columns: 1, Panels: []chart.Panel{p},
		Scale: chart.DivergingScale("potential w(s)", largest)}
}

func (e Eigenpurpose) bars() chart.Panel {
	p := chart.Panel{X: chart.ColumnAxis("feature", e.Features), Y: chart.EmptyAxis("weight"), Aspect: 0.35}
	p.Y.Include(0)
	for i, w := range e.Weights {
		p.Y.Include(w)
		of := chart.DivergingInk(math.Copysign(1, w))
		p.Marks = append(p.Marks, chart.Box(float64(i)-0.38, float64(i)+0.38, 0, w, of))
	}
	room := 0.05 * max(p.Y.High-p.Y.Low, smallest)
	p.Y.Low, p.Y.High = p.Y.Low-room, p.Y.High+room
	p.Marks = append(p.Marks, chart.Rule{At: 0, Across: true, Ink: chart.Foreground})
	return p
}
