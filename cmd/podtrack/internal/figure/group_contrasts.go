package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textform"
)

// GroupContrasts shows several groups of runs by measure: their means, and their differences from the first
// one with intervals.
type GroupContrasts struct {
	Compared group.Contrasts `json:"compared"`
}

// Table implements [Figure].
func (f GroupContrasts) Table() DataTable {
	t := DataTable{Columns: []string{"measure", "iteration", "group", "filter", "n", "mean", "sd", "difference",
		"interval_low", "interval_high", "p_holm"}}
	for _, m := range f.Compared.Measures {
		for _, row := range m.Iterations {
			for i, o := range row.Groups {
				cells := []string{m.Measure, fmt.Sprint(row.K), group.Letter(i), f.Compared.Groups[i].Filter, fmt.Sprint(o.N),
					textform.FormatExact(o.Mean), textform.FormatExact(o.SD)}
				d, p := (*stats.Estimate)(nil), (*float64)(nil)
				if o.Against != nil {
					d, p = o.Against.Difference, o.Against.Adjusted
				}
				if d == nil {
					t.add(append(cells, "", "", "", "")...)
					continue
				}
				t.add(append(cells, textform.FormatExact(&d.Value), textform.FormatExact(d.Low), textform.FormatExact(d.High),
					textform.FormatExact(p))...)
			}
		}
	}
	return t
}

func (f GroupContrasts) caption() string {
	return fmt.Sprintf("Measures of %d groups of runs by iteration; %s.", len(f.Compared.Groups),
		groupSizes(f.chart().keys))
}

func (f GroupContrasts) chart() Chart {
	groups := f.Compared.Groups
	c := Chart{title: fmt.Sprintf("%d groups of runs", len(groups)), columns: 2, shared: true}
	for i, g := range groups {
		c.keys = append(c.keys, key{text: fmt.Sprintf("%s: %s (%d)", group.Letter(i), g.Filter, len(g.Runs)), ink: series(i),
			dash: groupDash(i), glyph: groupGlyph(i)})
	}
	difference := "differences of the means from a"
	if p := f.Compared.Pairings[1]; p != nil {
		difference = "mean differences from a of pairs of the same " + p.Field
	}
	c.notes = []string{fmt.Sprintf("Left: means, bars are one sd over runs each way. Right: %s, bars are intervals (%s) "+
		"that hold together at %g %%.", difference, f.Compared.Intervals.Difference, 100*f.Compared.Level)}
	for i, m := range f.Compared.Measures {
		left, right := f.means(m), f.differences(m)
		if i == 0 {
			left.title, right.title = "mean ± sd", "difference from a"
		}
		c.panels = append(c.panels, left, right)
		noteCensored(&c, m.Measure)
	}
	return c
}

// aside returns how far the i-th of n marks is drawn beside its iteration, so that bars do not overlap.
func aside(i, n int) float64 {
	const room = 0.6 // of the distance of two iterations
	return min(0.16, room/float64(n)) * (float64(i) - float64(n-1)/2)
}

// means draws all groups beside each other.
func (f GroupContrasts) means(m group.MeasureContrasts) panel {
	p := panel{x: iterationAxis(len(m.Iterations)), y: emptyAxis(measureLabel(m.Measure)), aspect: 0.55}
	p.y.margin = true
	for i := range f.Compared.Groups {
		d, t := dots{ink: series(i), glyph: groupGlyph(i)}, told{}
		for _, row := range m.Iterations {
			s := row.Groups[i].Summary
			if s.Mean == nil {
				continue
			}
			spread := 0.0
			if s.SD != nil {
				spread = *s.SD
			}
			d.points = append(d.points, Point{float64(row.K) + aside(i, len(f.Compared.Groups)), *s.Mean})
			d.spans = append(d.spans, [2]float64{*s.Mean - spread, *s.Mean + spread})
			t.add(d.points[len(d.points)-1].X, *s.Mean, fmt.Sprintf("%s, iteration %d: %s", group.Letter(i), row.K,
				deviating(*s.Mean, s.SD)))
			p.y.include(*s.Mean-spread, *s.Mean+spread)
		}
		p.marks = append(p.marks, line{points: d.points, ink: series(i), width: 0.9, dash: groupDash(i)}, d, t)
	}
	return p
}

// differences draws how all but the first group differ from it, around 0.
func (f GroupContrasts) differences(m group.MeasureContrasts) panel {
	p := panel{x: iterationAxis(len(m.Iterations)), y: axis{margin: true}, aspect: 0.55}
	p.marks = []mark{rule{at: 0, across: true, ink: series(0), width: 0.9}}
	others := len(f.Compared.Groups) - 1
	for i := range others {
		d, t := dots{ink: series(i + 1), glyph: groupGlyph(i + 1)}, told{}
		for _, row := range m.Iterations {
			e := row.Groups[i+1].Against.Difference
			if e == nil {
				continue
			}
			low, high := e.Value, e.Value
			if e.Low != nil && e.High != nil {
				low, high = *e.Low, *e.High
			}
			d.points = append(d.points, Point{float64(row.K) + aside(i, others), e.Value})
			d.spans = append(d.spans, [2]float64{low, high})
			t.add(d.points[len(d.points)-1].X, e.Value, fmt.Sprintf("%s − a, iteration %d: %s", group.Letter(i+1), row.K,
				within(e.Value, e.Low, e.High)))
			p.y.include(low, high)
		}
		p.marks = append(p.marks, d, t)
	}
	return p
}
