package figure

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Spectrum shows the singular values of each iteration's D.
type Spectrum struct {
	Title      string
	Iterations []IterationSpectrum
}

// IterationSpectrum holds the singular values of one iteration, largest first.
type IterationSpectrum struct {
	K     int
	Sigma []float64
	Kappa float64 // threshold of the directions

	Select schema.Select
	// of σ, above which directions were selected, or among which some were; nil where the rule has none
	Limit    *float64
	Selected []int // the directions that were, by j
	Columns  int   // of D: there are fewer σ if only the first directions were computed
}

var _ = Register(Kind{
	Name: "spectrum", Usage: "singular values by iteration, with κ", Args: "RUN|RUN:K", Example: "ring0",
	ReadPart: func(ctx context.Context, p Source, _ Request) (Figure, error) { return ReadSpectrum(ctx, p) },
})

// ReadSpectrum reads the singular values of a run or iteration.
func ReadSpectrum(ctx context.Context, p Source) (Spectrum, error) {
	s := Spectrum{Title: fmt.Sprintf("Singular values of %s", p.name())}
	if err := p.check(); err != nil {
		return s, err
	}
	first, end := p.iterationRange()
	for k := first; k < end; k++ {
		factors, purposes, err := p.Selection(k)
		if err != nil {
			return s, err
		}
		spec := p.SpecAt(k)
		it := IterationSpectrum{K: k, Sigma: factors.Sigma, Kappa: spec.Kappa, Select: spec.Select, Selected: []int{},
			Columns: factors.Dims}
		for _, p := range schema.Unsigned(purposes) {
			it.Selected = append(it.Selected, p.J)
		}
		rule, _ := spec.Select.ParseRule() // which was checked with the spec
		if rule.UsesKappa() {
			it.Limit = new(selection.ThresholdSigma(rule.By, spec.Kappa, factors.Total))
		}
		s.Iterations = append(s.Iterations, it)
	}
	return s, nil
}

// Table implements [Figure].
func (s Spectrum) Table() DataTable {
	t := DataTable{Columns: []string{"iteration", "j", "sigma", "kappa", "selected"}}
	for _, it := range s.Iterations {
		for j, sigma := range it.Sigma {
			t.add(it.K, j+1, sigma, it.Kappa, slices.Contains(it.Selected, j+1))
		}
	}
	return t
}

const manyDirections = 40 // above which marks are smaller

func (s Spectrum) caption() string {
	return s.Title + ": σ of D by its place in descending order, on a logarithmic axis."
}

func (s Spectrum) chart() chart.Chart {
	p := chart.Panel{
		X: chart.Axis{Label: "direction j, in the order of σ", Low: 1, High: 1, Whole: true, Plain: true, Margin: true},
		Y: chart.EmptyAxis("singular value σ"), Aspect: 0.55,
	}
	p.Y.Log = true
	zeros, size := 0, 1.6
	if len(s.Iterations[0].Sigma) > manyDirections {
		size = 0.9
	}
	c := chart.Chart{Title: s.Title, Columns: 1}
	var iterations []float64
	for _, it := range s.Iterations {
		iterations = append(iterations, float64(it.K))
	}
	keys := shade(&c, chart.Key{Text: "iteration", Glyph: chart.Disc}, iterations)
	for i, it := range s.Iterations {
		var drawn []chart.Point
		for j, sigma := range it.Sigma {
			p.X.Include(float64(j + 1))
			if sigma > 0 {
				p.Y.Include(sigma)
				drawn = append(drawn, chart.Point{X: float64(j + 1), Y: sigma})
			} else {
				zeros++
			}
		}
		p.Marks = append(p.Marks, chart.Line{Points: drawn, Ink: keys[i].Ink}, chart.Dots{
			Points: drawn, Ink: keys[i].Ink, Glyph: chart.Disc, Size: size,
		}, it.told(drawn))
	}
	if zeros > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Exactly 0, and not drawn: %s.", textfmt.CountOf(zeros, "singular value")))
	}
	if first := len(s.Iterations[0].Sigma); first < s.Iterations[0].Columns {
		c.Notes = append(c.Notes, fmt.Sprintf("The first %s alone were computed.", textfmt.CountOf(first, "direction")))
	}
	s.drawKappas(&p, &c)
	p.Y.Low, p.Y.High = p.Y.Low/1.3, p.Y.High*1.3
	c.Panels = []chart.Panel{p}
	return c
}

// told returns the readouts of the singular values that are drawn.
func (i IterationSpectrum) told(drawn []chart.Point) (m chart.Readouts) {
	for _, at := range drawn {
		text := fmt.Sprintf("iteration %d, direction %g: σ %s", i.K, at.X, palette.Number("sigma", at.Y))
		if slices.Contains(i.Selected, int(at.X)) {
			text += ", selected"
		}
		m.Add(at.X, at.Y, text)
	}
	return m
}

// drawKappas draws each κ that is near the singular values.
func (s Spectrum) drawKappas(p *chart.Panel, c *chart.Chart) {
	const near = 1e3
	drawn := map[float64]chart.Dash{}
	low, high := p.Y.Low, p.Y.High
	for _, it := range s.Iterations {
		if it.Limit == nil {
			continue
		}
		limit := *it.Limit
		if _, done := drawn[limit]; done {
			continue
		}
		kind := chart.Dashes[len(drawn)%len(chart.Dashes)]
		drawn[limit] = kind
		name := it.limitName()
		if limit < low/near || limit > high*near {
			c.Notes = append(c.Notes, name+" is far from what is drawn.")
			continue
		}
		p.Y.Include(limit)
		p.Marks = append(p.Marks, chart.Rule{At: limit, Across: true, Ink: chart.Foreground, Dash: kind})
		c.Keys = append(c.Keys, chart.Key{Text: name, Ink: chart.Foreground, Dash: kind})
	}
}

// limitName returns the limit's text in the legend.
func (i IterationSpectrum) limitName() string {
	number := strconv.FormatFloat(i.Kappa, 'g', 6, 64)
	if rule, _ := i.Select.ParseRule(); rule.By.LimitSymbol() != "κ" { // which was checked with the spec
		return rule.By.LimitSymbol() + ", κ = " + number
	}
	return "κ = " + number
}
