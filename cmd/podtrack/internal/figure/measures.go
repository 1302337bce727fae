package figure

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

// Measures shows measures of groups of runs by iteration: means, with bands of their intervals.
type Measures struct {
	Filter string          `json:"filter"` // of all runs
	Of     group.Summaries `json:"of"`
}

// CheckGroups returns an error for more groups than a picture tells apart. A table may have more.
func CheckGroups(n int, format string) error {
	if n <= maxKeys || format == "csv" {
		return nil
	}
	return schema.Advise(fmt.Errorf("%d groups in one picture", n), AdviceFewerGroups, maxKeys)
}

// Table implements [Figure].
func (f Measures) Table() DataTable {
	t := DataTable{Columns: append(append([]string{}, f.Of.By...), "measure", "iteration", "n", "mean", "interval_low",
		"interval_high")}
	for _, g := range f.Of.Groups {
		for _, m := range g.Measures {
			for _, c := range m.Iterations {
				t.add(append(append([]string{}, g.Values...), m.Measure, fmt.Sprint(c.K), fmt.Sprint(c.N),
					textform.FormatExact(c.Mean), textform.FormatExact(c.Low), textform.FormatExact(c.High))...)
			}
		}
	}
	return t
}

func (f Measures) caption() string {
	return fmt.Sprintf("%s, by iteration; %s.", f.chart().title, groupSizes(f.chart().keys))
}

func (f Measures) chart() Chart {
	c := Chart{title: "Measures of " + f.Filter, columns: 1, shared: true}
	if len(f.Of.By) > 0 {
		c.title += " by " + strings.Join(f.Of.By, ", ")
	}
	for i, g := range f.Of.Groups {
		c.keys = append(c.keys, groupKey(i, f.Of.By, g.Group))
	}
	c.notes = []string{fmt.Sprintf("Means over runs; bands are %g %% intervals of each mean (%s).", 100*f.Of.Level,
		f.Of.Interval)}
	if !f.hasBands() {
		c.notes = []string{"Single runs have no interval."}
	}
	for i, m := range f.Of.Groups[0].Measures {
		c.panels = append(c.panels, f.panel(i))
		noteCensored(&c, m.Measure)
	}
	return c
}

// groupKey returns the key of the i-th group, with its values of the fields and the number of its runs.
func groupKey(i int, by []string, g group.Group) key {
	name := "all runs"
	if len(by) > 0 {
		var terms []string
		for j, field := range by {
			term := field + " " + g.Values[j]
			if field == "run" {
				term = g.Runs[0].Label
			}
			terms = append(terms, term)
		}
		name = strings.Join(terms, ", ")
	}
	return key{text: fmt.Sprintf("%s (%d)", name, len(g.Runs)), ink: series(i), dash: groupDash(i), glyph: groupGlyph(i)}
}

// groupSizes returns the groups of a legend, with the number of their runs in parentheses.
func groupSizes(keys []key) string {
	var texts []string
	for _, k := range keys {
		texts = append(texts, k.text)
	}
	return "groups, with n runs in parentheses: " + joinWords(texts)
}

// groupDash returns the line of the i-th group: solid as long as colours last.
func groupDash(i int) dash {
	if i < maxSeries {
		return solid
	}
	return dashed
}

func groupGlyph(i int) glyph { return glyphs[i%len(glyphs)] }

// hasBands reports whether there is an interval to draw.
func (f Measures) hasBands() bool {
	for _, g := range f.Of.Groups {
		for _, m := range g.Measures {
			for _, c := range m.Iterations {
				if c.Low != nil {
					return true
				}
			}
		}
	}
	return false
}

// panel draws the i-th measure of all groups.
func (f Measures) panel(i int) panel {
	measure := f.Of.Groups[0].Measures[i].Measure
	iterations := len(f.Of.Groups[0].Measures[i].Iterations)
	p := panel{x: iterationAxis(iterations), y: emptyAxis(measureLabel(measure)), aspect: 0.4}
	p.y.margin = true
	var lines []mark
	for g, of := range f.Of.Groups {
		var points, low, high []Point
		var t told
		name := groupKey(g, f.Of.By, of.Group).text
		for _, c := range of.Measures[i].Iterations {
			if c.Mean == nil {
				continue
			}
			x := float64(c.K)
			t.add(x, *c.Mean, fmt.Sprintf("%s, iteration %d: %s", name, c.K, within(*c.Mean, c.Low, c.High)))
			points = append(points, Point{x, *c.Mean})
			p.y.include(*c.Mean)
			if c.Low != nil && c.High != nil {
				low, high = append(low, Point{x, *c.Low}), append(high, Point{x, *c.High})
				p.y.include(*c.Low, *c.High)
			}
		}
		if len(low) > 1 {
			p.marks = append(p.marks, area{low: low, high: high, ink: withOpacity(series(g), 0.15)})
		}
		d := dots{points: points, ink: series(g), glyph: groupGlyph(g)}
		if len(points) == 1 && len(low) == 1 { // no band
			d.spans = [][2]float64{{low[0].Y, high[0].Y}}
		}
		lines = append(lines, line{points: points, ink: series(g), dash: groupDash(g)}, d, t)
	}
	if p.y.low > p.y.high { // the measure is undefined
		p.y.low, p.y.high = 0, 1
	}
	p.marks = append(p.marks, lines...)
	return p
}
