package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Bands shows a curve of groups of runs over the steps: means, with bands of their intervals.
type Bands struct {
	Filter string      `json:"filter"` // of all runs
	Of     group.Bands `json:"of"`

	Each bool          `json:"-"` // each run is drawn, too
	Axes chart.LogAxes `json:"-"`
}

// maxEach is how many runs a picture draws each by itself.
const maxEach = 200

// CheckEach returns an error for more runs of groups than a picture draws each by itself. A table may have more.
func CheckEach(groups []group.Group, format string) error {
	n := 0
	for _, g := range groups {
		n += len(g.Runs)
	}
	if n <= maxEach || format == "csv" {
		return nil
	}
	return schema.Advise(fmt.Errorf("%d runs in one picture", n), AdviceFewerRows, maxEach)
}

// eachNote explains the lines of single runs.
const eachNote = "Thin lines are single runs."

// runLine returns the thin line that draws a single run.
func (l look) runLine(points []chart.Point) chart.Line {
	return chart.Line{Points: points, Ink: chart.WithOpacity(l.ink(), 0.45), Width: 0.4, Dash: l.dash()}
}

// Table implements [Figure].
func (b Bands) Table() DataTable {
	by := b.Of.By
	if b.eachFilter() {
		by = []string{"group"}
	}
	t := DataTable{Columns: append(append([]string{}, by...), "step", "n", "mean", "interval_low", "interval_high")}
	if b.Each {
		t.Columns = append(t.Columns, "run")
	}
	for _, g := range b.Of.Groups {
		values := g.Values
		if b.eachFilter() {
			values = []string{g.Filter}
		}
		row := func(i int, cells ...string) {
			t.add(slices.Concat(values, []string{fmt.Sprint(b.Of.Steps[i])}, cells)[:len(t.Columns)]...)
		}
		for i := range b.Of.Steps {
			row(i, fmt.Sprint(g.N[i]), textfmt.FormatExact(g.Mean[i]), textfmt.FormatExact(g.Low[i]),
				textfmt.FormatExact(g.High[i]), "")
		}
		for n := 0; b.Each && n < len(g.Each); n++ {
			for i, x := range g.Each[n] {
				row(i, "1", textfmt.FormatExact(&x), "", "", g.Runs[n].Run.String())
			}
		}
	}
	return t
}

func (b Bands) caption() string {
	what := "Distance from the first state, in steps,"
	if b.Of.Curve == group.Coverage {
		what = "Distinct states visited"
	}
	return fmt.Sprintf("%s of %s, against steps; %s.", what, b.Filter, groupSizes(b.chart().Keys))
}

func (b Bands) chart() chart.Chart {
	p := chart.Panel{
		X: chart.Axis{Label: "step", High: float64(b.Of.Steps[len(b.Of.Steps)-1]), Whole: true, Plain: true},
		Y: chart.Axis{Label: "distance from the first state (steps)", Margin: true}, Aspect: 0.5,
	}
	c := chart.Chart{Title: "Distance over time", Columns: 1}
	if b.Of.Curve == group.Coverage {
		c.Title, p.Y.Label = "States visited over time", "distinct states visited"
	}
	c.Title += " of " + b.Filter
	if len(b.Of.By) > 0 {
		c.Title += " by " + strings.Join(b.Of.By, ", ")
	}
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
		for n := 0; b.Each && n < len(g.Each); n++ {
			var points []chart.Point
			for k, y := range g.Each[n] {
				points = append(points, chart.Point{X: float64(b.Of.Steps[k]), Y: y})
				p.Y.Include(y)
			}
			p.Marks = append(p.Marks, looks[i].runLine(points))
		}
		lines = append(lines, b.told(i), chart.Line{Points: mean, Ink: looks[i].ink(), Dash: looks[i].dash()},
			chart.Dots{Points: marked(mean, i, len(b.Of.Groups), b.Axes), Ink: looks[i].ink(), Glyph: looks[i].glyph()})
	}
	p.Marks = append(p.Marks, lines...)
	c.Notes = b.notes(bands)
	b.Axes.Apply(&c, &p)
	c.Panels = []chart.Panel{p}
	return c
}

// key returns the key of the i-th group: by its values of the fields that split, or by its own filter.
func (b Bands) key(i int) chart.Key {
	g := b.Of.Groups[i].Group
	l := b.looks()[i]
	k := groupKey(l, b.Of.By, g)
	if b.eachFilter() {
		k.Text = cmp.Or(l.Name, g.Filter) + countIn(g)
	}
	return k
}

// looks returns the looks of the groups.
func (b Bands) looks() []look {
	var groups []group.Group
	for _, g := range b.Of.Groups {
		groups = append(groups, g.Group)
	}
	return groupLooks(groups...)
}

// eachFilter reports whether the groups are those of filters of their own.
func (b Bands) eachFilter() bool { return len(b.Of.By) == 0 && len(b.Of.Groups) > 1 }

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
	if b.Each {
		notes = append(notes, eachNote)
	}
	if b.endEarly() {
		notes = append(notes, "Some runs are shorter than others; each counts as far as it goes.")
	}
	if b.Of.Curve == group.Coverage {
		notes = append(notes, statesNote(b.Of.States[0], b.Of.States[len(b.Of.States)-1], b.Of.Observed))
	}
	return notes
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
