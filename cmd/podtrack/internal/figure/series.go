package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// series is a line of a panel with the look of its key: means, and a band of their intervals.
type series struct {
	chart.Key
	mean, low, high []chart.Point
	raw             []chart.Point // behind a mean that is smoothed
	dots            chart.Dots    // on the line
	told            chart.Readouts
}

// add adds a mean with the ends of its interval, each nil for none. Its readout says where it is, such as "step 3"; ""
// is for no readout.
func (s *series) add(x float64, where string, mean, low, high *float64) {
	if mean == nil {
		return
	}
	s.mean = append(s.mean, chart.Point{X: x, Y: *mean})
	if where != "" {
		s.told.Add(x, *mean, fmt.Sprintf("%s, %s: %s", s.Text, where, palette.Within(*mean, low, high)))
	}
	if low != nil && high != nil {
		s.bound(x, *low, *high)
	}
}

func (s *series) bound(x, low, high float64) {
	s.low, s.high = append(s.low, chart.Point{X: x, Y: low}), append(s.high, chart.Point{X: x, Y: high})
}

// drawSeries draws series in a panel, whose y axis holds them: behind all lines their bands, and the
// curves that are smoothed.
func drawSeries(p *chart.Panel, opacity float64, all []series) {
	for _, s := range all {
		for _, points := range [][]chart.Point{s.mean, s.raw, s.low, s.high} {
			for _, at := range points {
				p.Y.Include(at.Y)
			}
		}
		if len(s.low) > 1 {
			p.Marks = append(p.Marks, chart.Area{Low: s.low, High: s.high, Ink: chart.WithOpacity(s.Ink, opacity)})
		}
	}
	for _, s := range all {
		p.Marks = append(p.Marks, chart.Line{Points: s.raw, Ink: chart.WithOpacity(s.Ink, 0.5), Width: 0.7})
	}
	for _, s := range all {
		s.dots.Ink, s.dots.Glyph = s.Ink, s.Glyph
		p.Marks = append(p.Marks, chart.Line{Points: s.mean, Ink: s.Ink, Dash: s.Dash}, s.dots, s.told)
	}
}

// noteOfMeans returns a note on what series show: means over runs with bands, or none of these. behind is a remark.
func noteOfMeans(bands bool, level float64, interval, behind string) string {
	if !bands {
		return "Single runs have no interval."
	}
	return fmt.Sprintf("Means over runs; bands are %g %% intervals of each mean (%s)%s.", 100*level, interval, behind)
}

// keyOf returns the key of a series with that look, whose line is solid as long as colours last.
func keyOf(l group.Look, text string) chart.Key {
	line := l.Number/chart.MaxSeries + l.Line
	return chart.Key{Text: text, Ink: chart.SeriesInk(l.Number), Dash: chart.Dash(line % (1 + len(chart.Dashes))),
		Glyph: chart.Glyphs[l.Number%len(chart.Glyphs)]}
}

// shade returns the keys of ascending numbers, like one key, with inks along the ramp. It adds them to a chart, or, if
// they are too many, a scale.
func shade(c *chart.Chart, like chart.Key, numbers []float64) (keys []chart.Key) {
	first, last := numbers[0], numbers[len(numbers)-1]
	for _, x := range numbers {
		k := like
		k.Text += " " + textfmt.FormatExact(&x)
		if k.Ink = chart.RampInk((x - first) / (last - first)); len(numbers) == 1 {
			k.Ink = chart.SeriesInk(0)
		}
		keys = append(keys, k)
	}
	if c.Keys = keys; len(keys) > chart.MaxSeries+1 {
		c.Keys, c.Scale = nil, &chart.Scale{Label: like.Text, Low: palette.Short(first), High: palette.Short(last),
			Ink: chart.RampInk}
	}
	return keys
}

// Bands shows the states that groups of runs visited over the steps: means, with bands of their intervals.
type Bands struct {
	Filter string // of all runs
	Of     group.Bands
}

// Table implements [Figure].
func (b Bands) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(b.Of.By), "step", "n", "mean", "interval_low", "interval_high")}
	for _, g := range b.Of.Groups {
		for _, c := range g.Measures[0].Iterations {
			t.add(g.Values, b.Of.Steps[c.K], c.N, c.Mean, c.Low, c.High)
		}
	}
	return t
}

func (b Bands) caption() string {
	return fmt.Sprintf("Distinct states visited of %s, against steps; %s.", b.Filter, groupSizes(b.chart().Keys))
}

func (b Bands) chart() chart.Chart {
	p := chart.Panel{
		X: stepAxis(b.Of.Steps[len(b.Of.Steps)-1]),
		Y: chart.Axis{Label: "distinct states visited", Margin: true}, Aspect: 0.5,
	}
	c := chart.Chart{Columns: 1,
		Title: fmt.Sprintf("States visited over time of %s by %s", b.Filter, strings.Join(b.Of.By, ", ")),
		Keys:  groupKeys(b.Of.Summaries)}
	bands := false
	all := make([]series, len(b.Of.Groups))
	for i, g := range b.Of.Groups {
		s := series{Key: c.Keys[i]}
		for _, c := range g.Measures[0].Iterations {
			step, where := b.Of.Steps[c.K], ""
			if c.K%10 == 0 { // a readout has room beside the next
				where = "step " + palette.Whole(int(step))
			}
			s.add(float64(step), where, c.Mean, c.Low, c.High)
		}
		s.dots.Points = marked(s.mean, i, len(all))
		all[i], bands = s, bands || len(s.low) > 1
	}
	drawSeries(&p, 0.15, all)
	c.Notes = []string{noteOfMeans(bands, b.Of.Level, b.Of.Interval, ", at each step by itself")}
	endsEarly := func(g group.Summary) bool { // a run has fewer steps than others
		return g.Measures[0].Iterations[len(b.Of.Steps)-1].N < len(g.Runs)
	}
	if slices.ContainsFunc(b.Of.Groups, endsEarly) {
		c.Notes = append(c.Notes, "Some runs are shorter than others; each counts as far as it goes.")
	}
	c.Notes = append(c.Notes, statesNote(b.Of.States[0], b.Of.States[len(b.Of.States)-1], b.Of.Observed))
	c.Panels = []chart.Panel{p}
	return c
}
