package figure

import (
	"fmt"
	"math"
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
	Filter string // of all runs
	Of     group.Summaries
	Smooth int // over so many iterations; up to 1 for not at all
}

// ParseSmooth returns over how many iterations a request smooths curves, 1 if it does not.
func (r Request) ParseSmooth() (int, error) {
	n, err := strconv.Atoi(r.Text("smooth", "1"))
	if r.Get("smooth") != nil && (err != nil || n < 3 || n%2 == 0) {
		return 0, schema.Hint(fmt.Errorf("--smooth: invalid number of iterations %q", *r.Get("smooth")),
			"give an odd number from 3 on, such as 5 for an iteration and two on each side")
	}
	return n, nil
}

// movingMean returns the means of each iteration and its neighbours, n in all; fewer towards the ends, as many on each
// side.
func movingMean(points []chart.Point, n int) (means []chart.Point) {
	for i, at := range points {
		half := min(float64(n/2), at.X-points[0].X, points[len(points)-1].X-at.X)
		sum, count := 0.0, 0.0
		for _, near := range points[max(i-n/2, 0):min(i+n/2+1, len(points))] {
			if math.Abs(near.X-at.X) <= half {
				sum, count = sum+near.Y, count+1
			}
		}
		means = append(means, chart.Point{X: at.X, Y: sum / count})
	}
	return means
}

// Table implements [Figure].
func (m Measures) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(m.Of.By), "measure", "iteration", "n", "mean", "interval_low",
		"interval_high")}
	if m.Smooth > 1 {
		t.Columns = append(t.Columns, "smoothed")
	}
	for _, g := range m.Of.Groups {
		for i, measure := range g.Measures {
			means := m.curve(g, i, chart.Key{}).mean
			for _, c := range measure.Iterations {
				row := []any{g.Values, measure.Measure, c.K, c.N, c.Mean, c.Low, c.High}
				if m.Smooth > 1 && c.Mean == nil {
					row = append(row, c.Mean)
				} else if m.Smooth > 1 {
					row, means = append(row, means[0].Y), means[1:]
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
	if m.Smooth > 1 { // after the note on means
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
	if slices.Equal(of.By, []string{"run"}) {
		of.Groups = slices.Clone(of.Groups)
		for i, label := range LabelRuns(slices.Concat(sets...)) {
			of.Groups[i].Names = []string{label}
		}
	}
	for i, l := range group.LooksOf(sets) {
		name, g := "all runs", of.Groups[i]
		if len(of.By) > 0 {
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

// curve returns the i-th measure of a group, smoothed, with the look of its key.
func (m Measures) curve(of group.Summary, i int, key chart.Key) series {
	s := series{Key: key}
	for _, c := range of.Measures[i].Iterations {
		s.add(float64(c.K), fmt.Sprintf("iteration %d", c.K), c.Mean, c.Low, c.High)
	}
	if m.Smooth > 1 {
		s.raw, s.mean = s.mean, movingMean(s.mean, m.Smooth)
	}
	return s
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
		s := m.curve(of, i, keys[g])
		s.dots.Points = s.mean
		if len(s.mean) == 1 && len(s.low) == 1 { // no band
			s.dots.Spans = [][2]float64{{s.low[0].Y, s.high[0].Y}}
		}
		all[g], bands = s, bands || len(s.low) > 0
	}
	drawSeries(&p, 0.15, all)
	return p, bands
}
