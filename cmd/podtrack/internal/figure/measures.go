package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Measures shows measures of groups of runs by iteration: means, with bands of their intervals.
type Measures struct {
	Filter string          `json:"filter"` // of all runs
	Of     group.Summaries `json:"of"`
	Smooth int             `json:"smooth"` // iterations of the moving mean that is drawn; 0 for none
}

// ParseSmooth returns over how many iterations a request smooths curves, 0 for none.
func (r Request) ParseSmooth() (int, error) {
	text := r.Get("smooth")
	if text == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(*text)
	if err != nil || n < 3 || n%2 == 0 {
		return 0, schema.Hint(fmt.Errorf("--smooth: invalid number of iterations %q", *text),
			"give an odd number from 3 on, such as 5 for an iteration and two on each side")
	}
	return n, nil
}

// movingMean returns the means of an iteration and its neighbours, n in all; fewer towards the ends, as many on each
// side. It is nil for an iteration without a mean.
func movingMean(cells []group.Cell, n int) []*float64 {
	first, last := len(cells), 0
	for k, c := range cells {
		if c.Mean != nil {
			first, last = min(first, k), k
		}
	}
	smooth := make([]*float64, len(cells))
	for k, c := range cells {
		if c.Mean == nil {
			continue
		}
		half, sum, count := min(n/2, k-first, last-k), 0.0, 0
		for _, near := range cells[k-half : k+half+1] {
			if near.Mean != nil {
				sum, count = sum+*near.Mean, count+1
			}
		}
		smooth[k] = new(sum / float64(count))
	}
	return smooth
}

// Table implements [Figure].
func (m Measures) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(m.Of.By), "measure", "iteration", "n", "mean", "interval_low",
		"interval_high")}
	if m.Smooth > 0 {
		t.Columns = append(t.Columns, "smoothed")
	}
	for _, g := range m.Of.Groups {
		for _, measure := range g.Measures {
			smoothed := movingMean(measure.Iterations, m.Smooth)
			for k, c := range measure.Iterations {
				row := []any{g.Values, measure.Measure, c.K, c.N, c.Mean, c.Low, c.High}
				if m.Smooth > 0 {
					row = append(row, smoothed[k])
				}
				t.add(row...)
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
	c.Keys = groupKeys(m.Of)
	bands := false
	for i, measure := range m.Of.Groups[0].Measures {
		p, has := m.panel(i, c.Keys)
		c.Panels, bands = append(c.Panels, p), bands || has
		noteCensored(&c, measure.Measure)
	}
	if m.Smooth > 0 { // after the note on means
		c.Notes = slices.Insert(c.Notes, 0, fmt.Sprintf("Lines are centred moving means over %d iterations, over fewer "+
			"towards the ends; curves that are not smoothed are pale.", m.Smooth))
	}
	c.Notes = slices.Insert(c.Notes, 0, noteOfMeans(bands, m.Of.Level, m.Of.Interval, ""))
	return c
}

// groupKeys returns the keys of groups, with their values of the fields and the numbers of their runs.
func groupKeys(of group.Summaries) (keys []chart.Key) {
	var sets [][]report.Run
	for _, g := range of.Groups {
		sets = append(sets, g.Selected())
	}
	var labels []string
	if slices.Equal(of.By, []string{"run"}) {
		labels = LabelRuns(slices.Concat(sets...))
	}
	for i, l := range group.LooksOf(sets) {
		name, g := "all runs", of.Groups[i]
		switch {
		case labels != nil:
			name = labels[i]
		case len(of.By) > 0:
			name = strings.Join(g.Names, ", ")
		}
		keys = append(keys, keyOf(l, fmt.Sprintf("%s (%d)", name, len(g.Runs))))
	}
	return keys
}

// groupSizes returns the groups of a legend, with the number of their runs in parentheses.
func groupSizes(keys []chart.Key) string {
	return "groups, with n runs in parentheses: " +
		textfmt.JoinWords(textfmt.Map(keys, func(k chart.Key) string { return k.Text }))
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

// panel draws the i-th measure of all groups, which have those keys, and reports whether it has intervals.
func (m Measures) panel(i int, keys []chart.Key) (p chart.Panel, bands bool) {
	first := m.Of.Groups[0].Measures[i]
	p = chart.Panel{
		X: chart.Axis{Label: "iteration", Low: -0.4, High: float64(len(first.Iterations)) - 0.6, Whole: true,
			Plain: true},
		Y: chart.EmptyAxis(measureLabel(first.Measure)), Aspect: 0.4,
	}
	p.Y.Margin = true
	all := make([]series, len(keys))
	for g, of := range m.Of.Groups {
		s := series{Key: keys[g]}
		smoothed, line := movingMean(of.Measures[i].Iterations, m.Smooth), []chart.Point(nil)
		for k, c := range of.Measures[i].Iterations {
			s.add(float64(c.K), fmt.Sprintf("iteration %d", c.K), c.Mean, c.Low, c.High)
			if c.Mean != nil {
				line = append(line, chart.Point{X: float64(c.K), Y: *smoothed[k]})
			}
		}
		if m.Smooth > 0 {
			s.raw, s.mean = s.mean, line
		}
		s.dots.Points = s.mean
		if len(s.mean) == 1 && len(s.low) == 1 { // no band
			s.dots.Spans = [][2]float64{{s.low[0].Y, s.high[0].Y}}
		}
		all[g], bands = s, bands || len(s.low) > 0
	}
	drawSeries(&p, 0.15, all)
	return p, bands
}
