package figure

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textform"
)

// GroupComparison shows two groups of runs by measure: their means, and the difference with its
// interval.
type GroupComparison struct {
	Compared group.Comparison `json:"compared"`
}

// Table implements [Figure].
func (f GroupComparison) Table() DataTable {
	t := DataTable{
		Columns: []string{
			"measure", "iteration", "n_a", "mean_a", "sd_a", "n_b", "mean_b", "sd_b", "difference", "interval_low",
			"interval_high",
		},
	}
	for _, m := range f.Compared.Measures {
		for _, row := range m.Iterations {
			cells := []string{m.Measure, fmt.Sprint(row.K)}
			for _, s := range []stats.Summary{row.A, row.B} {
				cells = append(cells, fmt.Sprint(s.N), textform.FormatExact(s.Mean), textform.FormatExact(s.SD))
			}
			d := row.Difference
			if d == nil {
				t.add(append(cells, "", "", "")...)
				continue
			}
			t.add(append(cells, textform.FormatExact(&d.Value), textform.FormatExact(d.Low), textform.FormatExact(d.High))...)
		}
	}
	return t
}

func (f GroupComparison) caption() string {
	return fmt.Sprintf("Measures of two groups of runs by iteration; %s.", groupSizes(f.chart().keys[:2]))
}

func (f GroupComparison) chart() Chart {
	a, b := f.Compared.A, f.Compared.B
	c := Chart{title: "Two groups of runs", columns: 2, shared: true, keys: []key{
		{text: fmt.Sprintf("a: %s (%d)", a.Filter, len(a.Runs)), ink: series(0), glyph: glyphs[0]},
		{text: fmt.Sprintf("b: %s (%d)", b.Filter, len(b.Runs)), ink: series(1), glyph: glyphs[1]},
		{text: "b − a", ink: foreground, glyph: diamond, bare: true},
	}}
	difference := "the difference of the means"
	if f.Compared.Pairing != nil {
		difference = "the mean difference of pairs of the same " + f.Compared.Pairing.Field
	}
	c.notes = []string{
		fmt.Sprintf("Left: means, bars are one sd over runs each way. Right: %s, bars are %g %% intervals (%s).",
			difference, 100*f.Compared.Level, f.Compared.Intervals.Difference),
	}
	titles := [2]string{"mean ± sd", fmt.Sprintf("b − a, %g %% interval", 100*f.Compared.Level)}
	if !f.hasSpread() {
		c.notes, titles = []string{"Single runs have no spread and no interval."}, [2]string{"measured", "b − a"}
	}
	for i, m := range f.Compared.Measures {
		left, right := f.means(m), f.differences(m)
		if i == 0 {
			left.title, right.title = titles[0], titles[1]
		}
		c.panels = append(c.panels, left, right)
		noteCensored(&c, m.Measure)
	}
	return c
}

// hasSpread reports whether there are bars to draw.
func (f GroupComparison) hasSpread() bool {
	for _, m := range f.Compared.Measures {
		for _, row := range m.Iterations {
			if row.A.SD != nil || row.B.SD != nil || row.Difference != nil && row.Difference.Low != nil {
				return true
			}
		}
	}
	return false
}

// censoredNote tells of measures of which a run that has not got so far has the budget.
const censoredNote = "Steps to a share of the states: restricted means, to which a run that has not got so far " +
	"contributes the steps that it had."

// noteCensored adds a note to a chart that shows such a measure.
func noteCensored(c *Chart, measure string) {
	if explore.IsCensored(measure) && !slices.Contains(c.notes, censoredNote) {
		c.notes = append(c.notes, censoredNote)
	}
}

// measureLabel returns the axis label of a measure: its title and unit.
func measureLabel(name string) string {
	title, unit := report.MeasureTitle(name)
	if unit == "" {
		return title
	}
	return title + " (" + unit + ")"
}

func iterationAxis(n int) axis {
	return axis{label: "iteration", low: -0.4, high: float64(n) - 0.6, whole: true, plain: true}
}

// means draws both groups beside each other.
func (f GroupComparison) means(m group.MeasureComparison) panel {
	p := panel{x: iterationAxis(len(m.Iterations)), y: emptyAxis(measureLabel(m.Measure)), aspect: 0.55}
	p.y.margin = true
	for i := range 2 {
		d, t := dots{ink: series(i), glyph: glyphs[i]}, told{}
		for _, row := range m.Iterations {
			s := []stats.Summary{row.A, row.B}[i]
			if s.Mean == nil {
				continue
			}
			spread := 0.0
			if s.SD != nil {
				spread = *s.SD
			}
			d.points = append(d.points, Point{float64(row.K) + 0.16*(float64(i)-0.5), *s.Mean})
			d.spans = append(d.spans, [2]float64{*s.Mean - spread, *s.Mean + spread})
			t.add(d.points[len(d.points)-1].X, *s.Mean, fmt.Sprintf("%s, iteration %d: %s", group.Letter(i), row.K,
				deviating(*s.Mean, s.SD)))
			p.y.include(*s.Mean-spread, *s.Mean+spread)
		}
		p.marks = append(p.marks, line{points: d.points, ink: series(i), width: 0.9}, d, t)
	}
	return p
}

// differences draws b − a, around 0.
func (f GroupComparison) differences(m group.MeasureComparison) panel {
	p := panel{x: iterationAxis(len(m.Iterations)), y: axis{margin: true}, aspect: 0.55}
	d, t := dots{ink: foreground, glyph: diamond}, told{}
	for _, row := range m.Iterations {
		e := row.Difference
		if e == nil {
			continue
		}
		low, high := e.Value, e.Value
		if e.Low != nil && e.High != nil {
			low, high = *e.Low, *e.High
		}
		d.points, d.spans = append(d.points, Point{float64(row.K), e.Value}), append(d.spans, [2]float64{low, high})
		t.add(float64(row.K), e.Value, fmt.Sprintf("b − a, iteration %d: %s", row.K, within(e.Value, e.Low, e.High)))
		p.y.include(low, high)
	}
	p.marks = []mark{rule{at: 0, across: true, ink: faint, width: 0.9}, d, t}
	return p
}
