package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Exploration shows a study: in each setting the outcome of each variant, with its interval.
type Exploration struct {
	Measured *study.Comparison `json:"measured"`
}

// Table implements [Figure].
func (e Exploration) Table() DataTable {
	t := DataTable{Columns: []string{"setting", "outcome", "variant", "n", "mean", "interval_low", "interval_high"}}
	for _, s := range e.Measured.Settings {
		for _, v := range s.Variants {
			t.add(s.Name, s.Outcome, v.Name, fmt.Sprint(v.N), textfmt.FormatExact(v.Mean), textfmt.FormatExact(v.Low),
				textfmt.FormatExact(v.High))
		}
	}
	return t
}

func (e Exploration) caption() string {
	return fmt.Sprintf("%s States visited, or the farthest distance in steps, by how options are discovered; n = %d "+
		"seeds.", e.Measured.Title, e.Measured.Seeds.Len())
}

func (e Exploration) chart() chart.Chart {
	r := e.Measured
	c := chart.Chart{
		Title: r.Title, Columns: 2, Narrow: 1,
		Keys: []chart.Key{
			{Text: "more than " + joinWords(r.Baselines), Ink: chart.SeriesInk(0), Glyph: chart.Disc, Bare: true},
			{Text: "less than one of them", Ink: chart.SeriesInk(1), Glyph: chart.Triangle, Bare: true},
			{Text: "not settled", Ink: chart.Foreground, Glyph: chart.Diamond, Bare: true},
		},
		Notes: []string{fmt.Sprintf("Means over %d seeds, bars are 95 %% intervals. Dashed: the means of %s. More and less: "+
			"p at most %.2g and the interval of the difference without 0, corrected for %d comparisons.", r.Seeds.Len(),
			joinWords(r.Baselines), stats.Significance, r.Comparisons)},
	}
	for _, s := range r.Settings {
		c.Panels = append(c.Panels, e.panel(s))
	}
	return c
}

// panel returns the panel of a setting, a row for each variant.
func (e Exploration) panel(s study.SettingComparison) chart.Panel {
	label := "states visited"
	if s.Outcome == "distance" {
		label = "farthest distance (steps)"
	}
	rows := len(s.Variants)
	p := chart.Panel{
		Title: s.Text(), X: chart.EmptyAxis(label), Fixed: true, Height: 11 * float64(rows),
		Y: chart.Axis{Low: 0.4 - float64(rows), High: 0.6, Plain: true},
	}
	p.X.Margin = true
	p.X.Include(0)
	for _, name := range e.Measured.Baselines {
		for _, v := range s.Variants {
			if v.Name == name && v.Mean != nil {
				p.Marks = append(p.Marks, chart.Rule{At: *v.Mean, Ink: chart.Faint, Dash: chart.Dashed})
			}
		}
	}
	for i, v := range s.Variants {
		y := -float64(i)
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{At: y, Text: v.Text()})
		if v.Mean == nil {
			continue
		}
		ink, glyph := inkOf(v, len(e.Measured.Baselines))
		p.X.Include(*v.Mean)
		if v.Low != nil && v.High != nil {
			p.X.Include(*v.Low, *v.High)
			ends := []chart.Point{{X: *v.Low, Y: y}, {X: *v.High, Y: y}}
			p.Marks = append(p.Marks, chart.Line{Points: ends, Ink: ink, Width: 0.9})
		}
		p.Marks = append(p.Marks, chart.Dots{Points: []chart.Point{{X: *v.Mean, Y: y}}, Ink: ink, Glyph: glyph})
	}
	return p
}

// inkOf returns the colour and the shape of a variant, by how it differs from the references.
func inkOf(v study.VariantOutcome, references int) (chart.Ink, chart.Glyph) {
	more, less := 0, 0
	for _, a := range v.Against {
		switch a.Verdict {
		case stats.More:
			more++
		case stats.Less:
			less++
		}
	}
	switch {
	case less > 0:
		return chart.SeriesInk(1), chart.Triangle
	case more == references:
		return chart.SeriesInk(0), chart.Disc
	}
	return chart.Foreground, chart.Diamond
}
