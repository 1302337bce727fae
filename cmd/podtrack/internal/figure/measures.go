package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Measures shows measures of groups of runs by iteration: means, with bands of their intervals.
type Measures struct {
	Filter string          `json:"filter"` // of all runs
	Of     group.Summaries `json:"of"`
}

// checkGroups returns an error for more groups than a picture tells apart. A table may have more.
func checkGroups(n int, format string) error {
	if n <= chart.MaxKeys || format == "csv" {
		return nil
	}
	return schema.Hint(fmt.Errorf("%d groups in one picture", n), AdviceFewerGroups, chart.MaxKeys)
}

// Table implements [Figure].
func (m Measures) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(m.Of.By), "measure", "iteration", "n", "mean", "interval_low",
		"interval_high")}
	for _, g := range m.Of.Groups {
		for _, measure := range g.Measures {
			for _, c := range measure.Iterations {
				t.add(g.Values, measure.Measure, c.K, c.N, c.Mean, c.Low, c.High)
			}
		}
	}
	return t
}

func (m Measures) caption() string {
	return fmt.Sprintf("%s, by iteration; %s.", m.chart().Title, groupSizes(m.chart().Keys))
}

func (m Measures) chart() chart.Chart {
	c := chart.Chart{Title: "Measures of " + m.Filter, Columns: 1, Shared: true}
	if len(m.Of.By) > 0 {
		c.Title += " by " + strings.Join(m.Of.By, ", ")
	}
	looks := m.looks()
	for i, g := range m.Of.Groups {
		c.Keys = append(c.Keys, groupKey(looks[i], m.Of.By, g.Group))
	}
	c.Notes = []string{fmt.Sprintf("Means over runs; bands are %g %% intervals of each mean (%s).", 100*m.Of.Level,
		m.Of.Interval)}
	if !m.hasBands() {
		c.Notes = []string{"Single runs have no interval."}
	}
	for i, measure := range m.Of.Groups[0].Measures {
		c.Panels = append(c.Panels, m.panel(i))
		noteCensored(&c, measure.Measure)
	}
	return c
}

// looks returns the looks of the groups.
func (m Measures) looks() []look {
	var groups []group.Group
	for _, g := range m.Of.Groups {
		groups = append(groups, g.Group)
	}
	return groupLooks(groups...)
}

// groupKey returns the key of a group, with its values of the fields and the number of its runs.
func groupKey(l look, by []string, g group.Group) chart.Key {
	name := "all runs"
	if len(by) > 0 {
		name = strings.Join(g.Names(by), ", ")
	}
	return l.key(name + countIn(g))
}

// countIn returns the number of a group's runs as a legend has it.
func countIn(g group.Group) string { return fmt.Sprintf(" (%d)", len(g.Runs)) }

// groupSizes returns the groups of a legend, with the number of their runs in parentheses.
func groupSizes(keys []chart.Key) string {
	var texts []string
	for _, k := range keys {
		texts = append(texts, k.Text)
	}
	return "groups, with n runs in parentheses: " + textfmt.JoinWords(texts)
}

// censoredNote explains measures that are censored: a run that did not reach the share counts with all its steps.
const censoredNote = "Steps to a share of the states: restricted means, to which a run that has not got so far " +
	"contributes the steps that it had."

// noteCensored adds a note to a chart that shows such a measure.
func noteCensored(c *chart.Chart, measure string) {
	if explore.IsCensored(measure) && !slices.Contains(c.Notes, censoredNote) {
		c.Notes = append(c.Notes, censoredNote)
	}
}

// measureLabel returns the axis label of a measure: its title and unit. An axis has room for more words than a table.
func measureLabel(name string) string {
	title, unit := report.MeasureTitle(name)
	switch {
	case name == "states_visited":
		return "states visited"
	case unit == "states":
		return "states " + title
	case unit == "":
		return title
	}
	return title + " (" + unit + ")"
}

func iterationAxis(n int) chart.Axis {
	return chart.Axis{Label: "iteration", Low: -0.4, High: float64(n) - 0.6, Whole: true, Plain: true}
}

// hasBands reports whether there is an interval to draw.
func (m Measures) hasBands() bool {
	for _, g := range m.Of.Groups {
		for _, measure := range g.Measures {
			for _, c := range measure.Iterations {
				if c.Low != nil {
					return true
				}
			}
		}
	}
	return false
}

// panel draws the i-th measure of all groups.
func (m Measures) panel(i int) chart.Panel {
	measure := m.Of.Groups[0].Measures[i].Measure
	iterations := len(m.Of.Groups[0].Measures[i].Iterations)
	p := chart.Panel{X: iterationAxis(iterations), Y: chart.EmptyAxis(measureLabel(measure)), Aspect: 0.4}
	p.Y.Margin = true
	var lines []chart.Mark
	looks := m.looks()
	for g, of := range m.Of.Groups {
		var points, low, high []chart.Point
		var t chart.Readouts
		name := groupKey(looks[g], m.Of.By, of.Group).Text
		for _, c := range of.Measures[i].Iterations {
			if c.Mean == nil {
				continue
			}
			x := float64(c.K)
			t.Add(x, *c.Mean, fmt.Sprintf("%s, iteration %d: %s", name, c.K, palette.Within(*c.Mean, c.Low, c.High)))
			points = append(points, chart.Point{X: x, Y: *c.Mean})
			p.Y.Include(*c.Mean)
			if c.Low != nil && c.High != nil {
				low, high = append(low, chart.Point{X: x, Y: *c.Low}), append(high, chart.Point{X: x, Y: *c.High})
				p.Y.Include(*c.Low, *c.High)
			}
		}
		if len(low) > 1 {
			p.Marks = append(p.Marks, chart.Area{Low: low, High: high, Ink: chart.WithOpacity(looks[g].ink(), 0.15)})
		}
		d := chart.Dots{Points: points, Ink: looks[g].ink(), Glyph: looks[g].glyph()}
		if len(points) == 1 && len(low) == 1 { // no band
			d.Spans = [][2]float64{{low[0].Y, high[0].Y}}
		}
		lines = append(lines, chart.Line{Points: points, Ink: looks[g].ink(), Dash: looks[g].dash()}, d, t)
	}
	if p.Y.Low > p.Y.High { // the measure is undefined
		p.Y.Low, p.Y.High = 0, 1
	}
	p.Marks = append(p.Marks, lines...)
	return p
}
