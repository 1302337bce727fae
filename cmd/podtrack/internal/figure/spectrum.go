package figure

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

// Spectrum shows the singular values of each iteration's D.
type Spectrum struct {
	Title      string              `json:"title"`
	Iterations []IterationSpectrum `json:"iterations"`
}

// IterationSpectrum holds the singular values of one iteration, largest first.
type IterationSpectrum struct {
	K     int       `json:"k"`
	Sigma []float64 `json:"sigma"`
	Kappa float64   `json:"kappa"` // threshold of the directions

	Select schema.Select `json:"select"`
	// of σ, above which directions were selected, or among which some were; nil where the rule has none
	Limit    *float64 `json:"limit"`
	Selected []int    `json:"selected"` // the directions that were, by j
}

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
		s.Iterations = append(s.Iterations, newSpectral(k, p.SpecAt(k), factors, purposes))
	}
	return s, nil
}

func newSpectral(k int, spec schema.Spec, f schema.Factors, purposes []schema.Purpose) IterationSpectrum {
	s := IterationSpectrum{K: k, Sigma: f.Sigma, Kappa: spec.Kappa, Select: spec.Select, Selected: []int{}}
	for _, p := range schema.Unsigned(purposes) {
		s.Selected = append(s.Selected, p.J)
	}
	rule, _ := spec.Select.ParseRule() // which was checked with the spec
	if rule.UsesKappa() {
		limit := pod.ThresholdSigma(rule.By, spec.Kappa, f.Total)
		s.Limit = &limit
	}
	return s
}

// Table implements [Figure].
func (s Spectrum) Table() DataTable {
	t := DataTable{Columns: []string{"iteration", "j", "sigma", "kappa", "selected"}}
	for _, it := range s.Iterations {
		for j, sigma := range it.Sigma {
			t.add(fmt.Sprint(it.K), fmt.Sprint(j+1), textform.FormatExact(&sigma), textform.FormatExact(&it.Kappa),
				strconv.FormatBool(slices.Contains(it.Selected, j+1)))
		}
	}
	return t
}

// manyDirections is the number of directions above which marks are smaller.
const manyDirections = 40

func (s Spectrum) caption() string {
	return s.Title + ": σ of D by its place in descending order, on a logarithmic axis."
}

func (s Spectrum) chart() Chart {
	p := panel{
		x: axis{label: "direction j, in the order of σ", low: 1, high: 1, whole: true, plain: true, margin: true},
		y: emptyAxis("singular value σ"), aspect: 0.55,
	}
	p.y.log = true
	zeros := 0
	size := 1.6
	if len(s.Iterations[0].Sigma) > manyDirections {
		size = 0.9
	}
	for i, it := range s.Iterations {
		var drawn []Point
		for j, sigma := range it.Sigma {
			p.x.include(float64(j + 1))
			if sigma > 0 {
				p.y.include(sigma)
				drawn = append(drawn, Point{float64(j + 1), sigma})
			} else {
				zeros++
			}
		}
		p.marks = append(p.marks, line{points: drawn, ink: s.ink(i)}, dots{
			points: drawn, ink: s.ink(i), glyph: disc, size: size,
		}, it.told(drawn))
	}
	c := Chart{title: s.Title, columns: 1, keys: s.keys(), scale: s.scale()}
	if zeros > 0 {
		c.notes = append(c.notes, fmt.Sprintf("Exactly 0, and not drawn: %s.", countOf(zeros, "singular value")))
	}
	s.drawKappas(&p, &c)
	p.y.low, p.y.high = p.y.low/1.3, p.y.high*1.3
	c.panels = []panel{p}
	return c
}

// told returns the readouts of the singular values that are drawn.
func (s IterationSpectrum) told(drawn []Point) (m told) {
	for _, at := range drawn {
		text := fmt.Sprintf("iteration %d, direction %g: σ %s", s.K, at.X, grammar.Number("sigma", at.Y))
		if slices.Contains(s.Selected, int(at.X)) {
			text += ", selected"
		}
		m.add(at.X, at.Y, text)
	}
	return m
}

// drawKappas draws each κ that is near the singular values.
func (s Spectrum) drawKappas(p *panel, c *Chart) {
	const near = 1e3
	drawn := map[float64]dash{}
	low, high := p.y.low, p.y.high
	for _, it := range s.Iterations {
		if it.Limit == nil {
			continue
		}
		limit := *it.Limit
		if _, done := drawn[limit]; done {
			continue
		}
		kind := dashes[len(drawn)%len(dashes)]
		drawn[limit] = kind
		name := it.limitName()
		if limit < low/near || limit > high*near {
			c.notes = append(c.notes, name+" is far from what is drawn.")
			continue
		}
		p.y.include(limit)
		p.marks = append(p.marks, rule{at: limit, across: true, ink: foreground, dash: kind})
		c.keys = append(c.keys, key{text: name, ink: foreground, dash: kind})
	}
}

// limitName returns the limit's text in the legend.
func (s IterationSpectrum) limitName() string {
	number := strconv.FormatFloat(s.Kappa, 'g', 6, 64)
	if rule, _ := s.Select.ParseRule(); rule.By.LimitSymbol() != "κ" { // which was checked with the spec
		return rule.By.LimitSymbol() + ", κ = " + number
	}
	return "κ = " + number
}

func (s Spectrum) ink(i int) ink {
	if len(s.Iterations) == 1 {
		return series(0)
	}
	return rampInk(float64(i) / float64(len(s.Iterations)-1))
}

// keys names the iterations if they are few; otherwise there is a scale.
func (s Spectrum) keys() (keys []key) {
	if len(s.Iterations) > maxSeries+1 {
		return nil
	}
	for i, it := range s.Iterations {
		keys = append(keys, key{text: fmt.Sprintf("iteration %d", it.K), ink: s.ink(i), glyph: disc})
	}
	return keys
}

func (s Spectrum) scale() *scale {
	if len(s.keys()) > 0 {
		return nil
	}
	last := s.Iterations[len(s.Iterations)-1].K
	return &scale{label: "iteration", low: "0", high: fmt.Sprint(last), ink: rampInk}
}
