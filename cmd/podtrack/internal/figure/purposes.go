package figure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// selectedPurposes shows the eigenpurposes that a run selected, over the features.
type selectedPurposes struct {
	Title    string
	Features []string
	Purposes []positivePurpose
	Plan     *GridLayout // where states lie on a plane

	potentials [][]float64 // by purpose and state, where there is a plan
}

// positivePurpose is an eigenpurpose with positive sign.
type positivePurpose struct {
	K      int
	J      int
	Sigma  float64
	Vector []float64
}

var _ = Register(Kind{
	Name: "purposes", Usage: "eigenpurposes over the features", Args: "RUN|RUN:K", Example: "ring0",
	ReadPart: func(_ context.Context, p Source, _ Request) (Figure, error) { return readPurposes(p) },
})

// readPurposes reads what a run or iteration selected.
func readPurposes(p Source) (selectedPurposes, error) {
	f := selectedPurposes{
		Title: fmt.Sprintf("Eigenpurposes of %s", p.name()), Features: p.Env.Features(),
		Plan: newGridLayout(p.Env),
	}
	if err := p.check(); err != nil {
		return f, err
	}
	first, end := p.iterationRange()
	for k := first; k < end; k++ {
		_, selected, err := p.Selection(k)
		if err != nil {
			return f, err
		}
		for _, e := range schema.Unsigned(selected) {
			f.Purposes = append(f.Purposes, positivePurpose{
				K: k, J: e.J, Sigma: e.Sigma, Vector: padded(e.Vector, len(f.Features)),
			})
			f.potentials = append(f.potentials, f.Plan.potential(p.Env, e.Vector))
		}
	}
	if len(f.Purposes) == 0 {
		return f, schema.Hint(fmt.Errorf("%w: %s selected no purpose", ErrEmpty, p.name()),
			"podtrack plot spectrum %s shows σ and κ", textfmt.ShellQuote(p.name()))
	}
	return f, nil
}

// padded returns a purpose with a 0 for each state that was discovered after it.
func padded(vector []float64, features int) []float64 {
	return append(slices.Clip(vector), make([]float64, max(0, features-len(vector)))...)
}

// Table implements [Figure].
func (p selectedPurposes) Table() DataTable {
	t := DataTable{Columns: []string{"iteration", "j", "sigma", "feature", "value"}}
	for _, e := range p.Purposes {
		for i, x := range e.Vector {
			t.add(e.K, e.J, e.Sigma, p.Features[i], x)
		}
	}
	return t
}

// Heights of a row, in points, where each has its name and where there are too
// many for that; these fill a page before they become thinner than a line.
const (
	namedRow       = 8.5
	thinRow        = 3.0
	leastRowHeight = 0.5
	mostRows       = 70 // with names
	pageHeight     = 8 * 72
)

func rowHeight(rows int) float64 {
	if rows <= mostRows {
		return namedRow
	}
	return max(min(thinRow, pageHeight/float64(rows)), leastRowHeight)
}

func (p selectedPurposes) caption() string {
	if p.Plan != nil {
		return p.Title + ": w(s), what each rewards the agent for moving up in, by cell, relative to its largest " +
			"magnitude; above each its iteration/j and σ."
	}
	return p.Title + ": weights of the features with sign +; a row for each, iteration/j."
}

func (p selectedPurposes) chart() chart.Chart {
	if p.Plan != nil {
		return p.mapChart()
	}
	largest := 0.0
	rows, names, height := make([][]float64, len(p.Purposes)), make([]string, len(p.Purposes)),
		rowHeight(len(p.Purposes))
	single := p.Purposes[0].K == p.Purposes[len(p.Purposes)-1].K
	for i, e := range p.Purposes {
		rows[i] = e.Vector
		if height == namedRow || i == 0 || single || e.K != p.Purposes[i-1].K {
			names[i] = fmt.Sprintf("%d/%d", e.K, e.J)
		}
		for _, x := range e.Vector {
			largest = max(largest, math.Abs(x))
		}
	}
	panel := chart.Panel{
		X: chart.ColumnAxis("feature", p.Features), Y: chart.RowAxis("purpose (iteration/j)", names),
		Height: height * float64(len(rows)),
	}
	panel.Marks = []chart.Mark{chart.Cells{
		Rows: rows, Ink: func(x float64) chart.Ink { return chart.DivergingInk(x / max(largest, smallest)) },
		Tell: func(i, feature int) string {
			e := p.Purposes[i]
			return fmt.Sprintf("%d/%d, σ %s, %s: %s", e.K, e.J, palette.Number("sigma", e.Sigma),
				p.Features[feature], palette.Short(rows[i][feature]))
		},
	}}
	fine := 0.6
	if height < namedRow {
		fine = 0.25
	}
	for i, e := range p.Purposes[1:] {
		if e.K != p.Purposes[i].K {
			panel.Marks = append(panel.Marks, chart.Rule{At: -float64(i) - 0.5, Across: true, Ink: chart.Faint, Width: fine})
		}
	}
	return chart.Chart{Title: p.Title, Columns: 1, Panels: []chart.Panel{panel},
		Scale: chart.DivergingScale("weight, sign +", largest)}
}

const maxMaps = 12 // grids in one picture

// mapChart returns small grids of the first purposes' potentials.
func (p selectedPurposes) mapChart() chart.Chart {
	c := chart.Chart{Title: p.Title, Columns: 4, Narrow: 2, Scale: chart.DivergingScale("w(s), each by its largest", 1)}
	for i, e := range p.Purposes[:min(len(p.Purposes), maxMaps)] {
		w := p.potentials[i]
		largest := max(slices.Max(w), -slices.Min(w), smallest)
		panel := p.Plan.panel(func(s int) chart.Ink { return chart.DivergingInk(w[s] / largest) })
		panel.Marks = append(panel.Marks, p.Plan.told(func(s int) string {
			return fmt.Sprintf("%d/%d, %s: w %s", e.K, e.J, p.Plan.place(s), palette.Short(w[s]))
		}))
		panel.Title = fmt.Sprintf("%d/%d  σ %s", e.K, e.J, palette.Number("sigma", e.Sigma))
		panel.X, panel.Y = panel.X.Bare(), panel.Y.Bare()
		c.Panels = append(c.Panels, panel)
	}
	if n := len(p.Purposes); n > maxMaps {
		c.Notes = []string{fmt.Sprintf("The first %d of %d purposes. The data as CSV has all of them.", maxMaps, n)}
	}
	return c
}
