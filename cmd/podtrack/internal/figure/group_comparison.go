package figure

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// GroupComparison shows two groups of runs by measure: their means, and the difference with its
// interval.
type GroupComparison struct {
	Compared group.Comparison `json:"compared"`
}

// Table implements [Figure].
func (g GroupComparison) Table() DataTable {
	t := DataTable{Columns: []string{"measure", "iteration", "n_a", "mean_a", "sd_a", "n_b", "mean_b", "sd_b",
		"difference", "interval_low", "interval_high"}}
	for _, m := range g.Compared.Measures {
		for _, row := range m.Iterations {
			cells := []string{m.Measure, fmt.Sprint(row.K)}
			for _, s := range []stats.Summary{row.A, row.B} {
				cells = append(cells, fmt.Sprint(s.N), textfmt.FormatExact(s.Mean), textfmt.FormatExact(s.SD))
			}
			d := row.Difference
			if d == nil {
				t.add(append(cells, "", "", "")...)
				continue
			}
			t.add(append(cells, textfmt.FormatExact(&d.Value), textfmt.FormatExact(d.Low), textfmt.FormatExact(d.High))...)
		}
	}
	return t
}

func (g GroupComparison) caption() string {
	return fmt.Sprintf("Measures of two groups of runs by iteration; %s.", groupSizes(g.chart().Keys[:2]))
}

func (g GroupComparison) chart() chart.Chart {
	c := chart.Chart{Title: "Two groups of runs", Columns: 2, Shared: true,
		Keys: append(groupKeys(g.Compared.A, g.Compared.B), g.differenceKey())}
	difference := "the difference of the means"
	if g.Compared.Pairing != nil {
		difference = "the mean difference of pairs of the same " + g.Compared.Pairing.Field
	}
	c.Notes = []string{
		fmt.Sprintf("Left: means, bars are one sd over runs each way. Right: %s, bars are %g %% intervals (%s).",
			difference, 100*g.Compared.Level, g.Compared.Intervals.Difference),
	}
	titles := [2]string{"mean ± sd", fmt.Sprintf("difference, %g %% interval", 100*g.Compared.Level)}
	if !g.hasSpread() {
		c.Notes, titles = []string{"Single runs have no spread and no interval."}, [2]string{"measured", "difference"}
	}
	for i, m := range g.Compared.Measures {
		left, right := g.means(m), g.differences(m)
		if i == 0 {
			left.Title, right.Title = titles[0], titles[1]
		}
		c.Panels = append(c.Panels, left, right)
		noteCensored(&c, m.Measure)
	}
	return c
}

// differenceKey returns the key of the difference of the groups.
func (g GroupComparison) differenceKey() chart.Key {
	names := group.NamesOf(g.Compared.A, g.Compared.B)
	return chart.Key{Text: names[1] + " − " + names[0], Ink: chart.Foreground, Glyph: chart.Diamond, Bare: true}
}

// hasSpread reports whether there are bars to draw.
func (g GroupComparison) hasSpread() bool {
	for _, m := range g.Compared.Measures {
		for _, row := range m.Iterations {
			if row.A.SD != nil || row.B.SD != nil || row.Difference != nil && row.Difference.Low != nil {
				return true
			}
		}
	}
	return false
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

// means draws both groups beside each other.
func (g GroupComparison) means(m group.MeasureComparison) chart.Panel {
	var rows []groupRow
	for _, row := range m.Iterations {
		rows = append(rows, groupRow{k: row.K, means: []stats.Summary{row.A, row.B}})
	}
	return meansPanel(m.Measure, rows, []group.Group{g.Compared.A, g.Compared.B})
}

// differences draws the difference of the groups, around 0.
func (g GroupComparison) differences(m group.MeasureComparison) chart.Panel {
	var rows []groupRow
	for _, row := range m.Iterations {
		rows = append(rows, groupRow{k: row.K, differences: []*stats.Estimate{row.Difference}})
	}
	return differencesPanel(rows, chart.Faint, []chart.Key{g.differenceKey()})
}
