package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textform"
)

// Exploration shows a study: in each setting the outcome of each variant, with its interval.
type Exploration struct {
	Measured *study.Result `json:"measured"`
}

// Table implements [Figure].
func (f Exploration) Table() DataTable {
	t := DataTable{Columns: []string{"setting", "outcome", "variant", "n", "mean", "interval_low", "interval_high"}}
	for _, s := range f.Measured.Settings {
		for _, v := range s.Variants {
			if v.Mean == nil {
				continue
			}
			t.add(s.Name, s.Outcome, v.Name, fmt.Sprint(len(v.Values)), textform.FormatExact(&v.Mean.Value),
				textform.FormatExact(v.Mean.Low), textform.FormatExact(v.Mean.High))
		}
	}
	return t
}

func (f Exploration) caption() string {
	return fmt.Sprintf("%s States visited, or the farthest distance in steps, by how options are discovered; n = %d "+
		"seeds.", f.Measured.Title, f.Measured.Seeds)
}

func (f Exploration) chart() Chart {
	r := f.Measured
	c := Chart{
		title: r.Title, columns: 2, narrow: 1,
		keys: []key{
			{text: "more than " + joinWords(r.Reference), ink: series(0), glyph: disc, bare: true},
			{text: "less than one of them", ink: series(1), glyph: triangle, bare: true},
			{text: "not settled", ink: foreground, glyph: diamond, bare: true},
		},
		notes: []string{fmt.Sprintf("Means over %d seeds, bars are 95 %% intervals. Dashed: the means of %s. More and less: "+
			"p at most %.2g and the interval of the difference without 0, corrected for %d comparisons.", r.Seeds,
			joinWords(r.Reference), stats.Significance, r.Comparisons)},
	}
	for _, s := range r.Settings {
		c.panels = append(c.panels, f.panel(s))
	}
	return c
}

// panel returns the panel of a setting, a row for each variant.
func (f Exploration) panel(s study.SettingResult) panel {
	label := "states visited"
	if s.Outcome == study.Distance {
		label = "farthest distance (steps)"
	}
	rows := len(s.Variants)
	p := panel{
		title: s.Name, x: emptyAxis(label), fixed: true, height: 11 * float64(rows),
		y: axis{low: 0.4 - float64(rows), high: 0.6, plain: true},
	}
	p.x.margin = true
	p.x.include(0)
	for _, name := range f.Measured.Reference {
		for _, v := range s.Variants {
			if v.Name == name && v.Mean != nil {
				p.marks = append(p.marks, rule{at: v.Mean.Value, ink: faint, dash: dashed})
			}
		}
	}
	for i, v := range s.Variants {
		y := -float64(i)
		p.y.ticks = append(p.y.ticks, tick{y, v.Name})
		if v.Mean == nil {
			continue
		}
		ink, glyph := inkOf(v, len(f.Measured.Reference))
		p.x.include(v.Mean.Value)
		if v.Mean.Low != nil && v.Mean.High != nil {
			p.x.include(*v.Mean.Low, *v.Mean.High)
			p.marks = append(p.marks, line{points: []Point{{*v.Mean.Low, y}, {*v.Mean.High, y}}, ink: ink, width: 0.9})
		}
		p.marks = append(p.marks, dots{points: []Point{{v.Mean.Value, y}}, ink: ink, glyph: glyph})
	}
	return p
}

// inkOf returns the colour and the shape of a variant, by how it differs from the references.
func inkOf(v study.VariantResult, references int) (ink, glyph) {
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
		return series(1), triangle
	case more == references:
		return series(0), disc
	}
	return foreground, diamond
}
