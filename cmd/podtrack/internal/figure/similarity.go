package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
)

// Similarity shows how similar the matched purposes of two runs are, iteration by iteration, beside the chance level.
type Similarity struct {
	A          string
	B          string
	Iterations []diff.Comparison
}

// NewSimilarity returns the figure of a comparison of two runs or two iterations.
func NewSimilarity(a, b string, r diff.Report) (Similarity, error) {
	f := Similarity{A: a, B: b}
	for _, c := range r.Iterations {
		if len(c.Pairs) > 0 {
			f.Iterations = append(f.Iterations, c)
		}
	}
	if len(f.Iterations) == 0 {
		return f, schema.Hint(fmt.Errorf("%w: %s and %s have no iteration in which both selected a purpose", ErrEmpty,
			a, b), "podtrack ls shows how far they are, podtrack plot spectrum RUN their σ and κ")
	}
	return f, nil
}

// directions returns the pairs with a positive sign; the other sign mirrors them.
func directions(c diff.Comparison) (pairs []diff.Pair) {
	for _, p := range c.Pairs {
		if strings.HasSuffix(p.A, "+") {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Table implements [Figure].
func (s Similarity) Table() DataTable {
	t := DataTable{Columns: []string{"iteration", "a", "b", "cosine", "matched", "sigma_a", "sigma_b", "mean",
		"chance_mean", "chance_p95", "threshold"}}
	for _, c := range s.Iterations {
		for _, p := range directions(c) {
			t.add(c.K, p.A, p.B, p.Cosine, p.Matched, p.SigmaA, p.SigmaB, c.Cosine,
				c.Chance.Mean, c.Chance.P95, c.Threshold)
		}
	}
	return t
}

const halfColumn = 0.36 // how far an iteration's marks extend to each side

func (s Similarity) caption() string {
	return fmt.Sprintf("Similarity |cos_M| of the matched purposes of %s and %s by iteration, beside that of random sets.",
		s.A, s.B)
}

func (s Similarity) chart() chart.Chart {
	first, last := s.Iterations[0].K, s.Iterations[len(s.Iterations)-1].K
	p := chart.Panel{X: chart.Axis{
		Label: "iteration", Low: float64(first) - 0.5, High: float64(last) + 0.5, Whole: true, Plain: true,
	}, Y: chart.Axis{Label: "|cos_M| of matched purposes", High: 1.05}, Aspect: 0.6}
	size := s.markSize()
	var t chart.Readouts
	same := chart.Dots{Ink: chart.SeriesInk(0), Glyph: chart.Disc, Size: size}
	other := chart.Dots{Ink: chart.SeriesInk(1), Glyph: chart.Triangle, Size: size}
	for _, c := range s.Iterations {
		x := float64(c.K)
		p.Marks = append(p.Marks,
			chart.Box(x-0.5, x+0.5, 0, c.Chance.Mean, chart.WithOpacity(chart.Neutral, 0.35)),
			chart.Box(x-0.5, x+0.5, c.Chance.Mean, c.Chance.P95, chart.WithOpacity(chart.Neutral, 0.18)),
			level(x, c.Threshold, chart.Faint, chart.Dashed), level(x, *c.Cosine, chart.Foreground, chart.Solid))
		pairs := directions(c)
		for at, pair := range pairs {
			to := &other
			if pair.Matched {
				to = &same
			}
			aside := halfColumn * (2*(float64(at)+0.5)/float64(len(pairs)) - 1)
			to.Points = append(to.Points, chart.Point{X: x + aside, Y: math.Abs(pair.Cosine)})
			t.Add(x+aside, math.Abs(pair.Cosine), tellPair(c, pair))
		}
	}
	p.Marks = append(p.Marks, same, other, t)
	keys := []chart.Key{{Text: "the same", Ink: chart.SeriesInk(0), Glyph: chart.Disc, Bare: true},
		{Text: "not the same", Ink: chart.SeriesInk(1), Glyph: chart.Triangle, Bare: true},
		{Text: "mean", Ink: chart.Foreground}, {Text: "threshold", Ink: chart.Faint, Dash: chart.Dashed},
		{Text: "chance: up to its mean", Ink: chart.WithOpacity(chart.Neutral, 0.35), Box: true},
		{Text: "up to the 95th percentile", Ink: chart.WithOpacity(chart.Neutral, 0.18), Box: true}}
	return chart.Chart{Title: fmt.Sprintf("Matched purposes of %s and %s", s.A, s.B), Keys: keys, Columns: 1,
		Panels: []chart.Panel{p},
		Notes: []string{
			"The same from the threshold on: |cos_M| = " + palette.Number("similarity", s.Iterations[0].Threshold) + ".",
			"Within an iteration: by falling σ of " + s.A + ".",
		}}
}

// tellPair returns the readout of two matched purposes: how similar they are, and chance.
func tellPair(c diff.Comparison, pair diff.Pair) string {
	text := fmt.Sprintf("%s and %s: |cos| %s", pair.A, pair.B, palette.Number("similarity", math.Abs(pair.Cosine)))
	if pair.Matched {
		text += ", the same"
	}
	return text + fmt.Sprintf(" (chance: mean %s, 95th percentile %s)", palette.Number("chance", c.Chance.Mean),
		palette.Number("chance", c.Chance.P95))
}

// markSize returns the radius of marks, smaller if there are many.
func (s Similarity) markSize() float64 {
	switch n := len(s.Table().Rows); {
	case n <= 30:
		return 2.2
	case n <= 120:
		return 1.6
	}
	return 1
}

// level returns an iteration's part of a horizontal line.
func level(x, y float64, of chart.Ink, kind chart.Dash) chart.Line {
	ends := []chart.Point{{X: x - halfColumn, Y: y}, {X: x + halfColumn, Y: y}}
	return chart.Line{Points: ends, Ink: of, Dash: kind, Width: 0.9}
}
