package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// Bands shows the states that groups of runs visited over the steps: means, with bands of their intervals.
type Bands struct {
	Filter string      `json:"filter"` // of all runs
	Of     group.Bands `json:"of"`
}

// Table implements [Figure].
func (b Bands) Table() DataTable {
	t := DataTable{Columns: append(slices.Clone(b.Of.By), "step", "n", "mean", "interval_low", "interval_high")}
	for _, g := range b.Of.Groups {
		for i, step := range b.Of.Steps {
			t.add(g.Values, step, g.N[i], g.Mean[i], g.Low[i], g.High[i])
		}
	}
	return t
}

func (b Bands) caption() string {
	return fmt.Sprintf("Distinct states visited of %s, against steps; %s.", b.Filter, groupSizes(b.chart().Keys))
}

func (b Bands) chart() chart.Chart {
	p := chart.Panel{
		X: chart.Axis{Label: "step", High: float64(b.Of.Steps[len(b.Of.Steps)-1]), Whole: true, Plain: true},
		Y: chart.Axis{Label: "distinct states visited", Margin: true}, Aspect: 0.5,
	}
	c := chart.Chart{Columns: 1,
		Title: fmt.Sprintf("States visited over time of %s by %s", b.Filter, strings.Join(b.Of.By, ", "))}
	bands := false
	var lines []chart.Mark
	looks := b.looks()
	for i, g := range b.Of.Groups {
		c.Keys = append(c.Keys, b.key(i))
		mean, low, high := b.band(g)
		for _, points := range [][]chart.Point{mean, low, high} {
			for _, at := range points {
				p.Y.Include(at.Y)
			}
		}
		if len(low) > 1 {
			bands = true
			p.Marks = append(p.Marks, chart.Area{Low: low, High: high, Ink: chart.WithOpacity(looks[i].ink(), 0.15)})
		}
		lines = append(lines, b.told(i), chart.Line{Points: mean, Ink: looks[i].ink(), Dash: looks[i].dash()},
			chart.Dots{Points: marked(mean, i, len(b.Of.Groups)), Ink: looks[i].ink(), Glyph: looks[i].glyph()})
	}
	p.Marks = append(p.Marks, lines...)
	c.Notes = b.notes(bands)
	c.Panels = []chart.Panel{p}
	return c
}

// key returns the key of the i-th group.
func (b Bands) key(i int) chart.Key { return groupKey(b.looks()[i], b.Of.By, b.Of.Groups[i].Group) }

// looks returns the looks of the groups.
func (b Bands) looks() []look {
	var groups []group.Group
	for _, g := range b.Of.Groups {
		groups = append(groups, g.Group)
	}
	return groupLooks(groups...)
}

// told returns the readouts of a group's mean.
func (b Bands) told(i int) (m chart.Readouts) {
	g, name := b.Of.Groups[i], b.key(i).Text
	for n, step := range b.Of.Steps {
		if g.Mean[n] != nil {
			m.Add(float64(step), *g.Mean[n], fmt.Sprintf("%s, step %s: %s", name, palette.Whole(int(step)),
				palette.Within(*g.Mean[n], g.Low[n], g.High[n])))
		}
	}
	return m
}

// band returns a group's mean over the steps, and the ends of its intervals where there are some.
func (b Bands) band(g group.Band) (mean, low, high []chart.Point) {
	for i, step := range b.Of.Steps {
		x := float64(step)
		if g.Mean[i] != nil {
			mean = append(mean, chart.Point{X: x, Y: *g.Mean[i]})
		}
		if g.Low[i] != nil && g.High[i] != nil {
			low, high = append(low, chart.Point{X: x, Y: *g.Low[i]}), append(high, chart.Point{X: x, Y: *g.High[i]})
		}
	}
	return mean, low, high
}

func (b Bands) notes(bands bool) (notes []string) {
	notes = []string{"Single runs have no interval."}
	if bands {
		notes = []string{fmt.Sprintf("Means over runs; bands are %g %% intervals of each mean (%s), at each step by itself.",
			100*b.Of.Level, b.Of.Interval)}
	}
	if b.endEarly() {
		notes = append(notes, "Some runs are shorter than others; each counts as far as it goes.")
	}
	return append(notes, statesNote(b.Of.States[0], b.Of.States[len(b.Of.States)-1], b.Of.Observed))
}

// endEarly reports whether a run has fewer steps than others.
func (b Bands) endEarly() bool {
	for _, g := range b.Of.Groups {
		if g.N[len(g.N)-1] < len(g.Runs) {
			return true
		}
	}
	return false
}

// look draws a [group.Look].
type look struct{ group.Look }

// lookOf returns the look of the i-th series of a figure.
func lookOf(i int) look { return look{group.Look{Number: i}} }

func (l look) ink() chart.Ink     { return chart.SeriesInk(l.Number) }
func (l look) dash() chart.Dash   { return groupDash(l.Number + chart.MaxSeries*l.Line) }
func (l look) glyph() chart.Glyph { return chart.Glyphs[l.Number%len(chart.Glyphs)] }

// groupDash returns the line of the i-th group: solid as long as colours last.
func groupDash(i int) chart.Dash { return chart.Dash(i / chart.MaxSeries % (1 + len(chart.Dashes))) }

// groupLooks returns the looks of groups.
func groupLooks(groups ...group.Group) (looks []look) {
	for _, l := range group.Looks(groups...) {
		looks = append(looks, look{l})
	}
	return looks
}

// key returns the key of the look's series.
func (l look) key(text string) chart.Key {
	return chart.Key{Text: text, Ink: l.ink(), Dash: l.dash(), Glyph: l.glyph()}
}
