package figure

import (
	"fmt"
	"unicode/utf8"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// GroupContrasts shows several groups of runs by measure: their means, and their differences from the first
// one with intervals.
type GroupContrasts struct {
	Compared group.Contrasts `json:"compared"`
}

// Table implements [Figure].
func (g GroupContrasts) Table() DataTable {
	t := DataTable{Columns: []string{"measure", "iteration", "group", "filter", "n", "mean", "sd", "difference",
		"interval_low", "interval_high", "p_holm"}}
	for _, m := range g.Compared.Measures {
		for _, row := range m.Iterations {
			for i, o := range row.Groups {
				cells := []string{m.Measure, fmt.Sprint(row.K), group.Letter(i), g.Compared.Groups[i].Filter, fmt.Sprint(o.N),
					textfmt.FormatExact(o.Mean), textfmt.FormatExact(o.SD)}
				d, p := (*stats.Estimate)(nil), (*float64)(nil)
				if o.Against != nil {
					d, p = o.Against.Difference, o.Against.Adjusted
				}
				if d == nil {
					t.add(append(cells, "", "", "", "")...)
					continue
				}
				t.add(append(cells, textfmt.FormatExact(&d.Value), textfmt.FormatExact(d.Low), textfmt.FormatExact(d.High),
					textfmt.FormatExact(p))...)
			}
		}
	}
	return t
}

func (g GroupContrasts) caption() string {
	return fmt.Sprintf("Measures of %d groups of runs by iteration; %s.", len(g.Compared.Groups),
		groupSizes(g.chart().Keys))
}

func (g GroupContrasts) chart() chart.Chart {
	groups := g.Compared.Groups
	c := chart.Chart{Title: fmt.Sprintf("%d groups of runs", len(groups)), Columns: 2, Shared: true,
		Keys: groupKeys(groups...)}
	baseline := group.NamesOf(groups...)[0]
	difference := "differences of the means from " + baseline
	if p := g.Compared.Pairings[1]; p != nil {
		difference = fmt.Sprintf("mean differences from %s of pairs of the same %s", baseline, p.Field)
	}
	c.Notes = []string{fmt.Sprintf("Left: means, bars are one sd over runs each way. Right: %s, bars are intervals (%s) "+
		"that hold together at %g %%.", difference, g.Compared.Intervals.Difference, 100*g.Compared.Level)}
	if utf8.RuneCountInString(baseline) > maxBaseline {
		baseline = "the first"
	}
	for i, m := range g.Compared.Measures {
		left, right := g.means(m), g.differences(m)
		if i == 0 {
			left.Title, right.Title = "mean ± sd", "difference from "+baseline
		}
		c.Panels = append(c.Panels, left, right)
		noteCensored(&c, m.Measure)
	}
	return c
}

// maxBaseline is how many characters of a baseline's name the title of a panel has room for in a column of a paper.
const maxBaseline = 12

// aside returns how far the i-th of n marks is drawn beside its iteration, so that bars do not overlap.
func aside(i, n int) float64 {
	const room = 0.6 // of the distance of two iterations
	return min(0.16, room/float64(n)) * (float64(i) - float64(n-1)/2)
}

// means draws all groups beside each other.
func (g GroupContrasts) means(m group.MeasureContrasts) chart.Panel {
	var rows []groupRow
	for _, row := range m.Iterations {
		r := groupRow{k: row.K}
		for _, o := range row.Groups {
			r.means = append(r.means, o.Summary)
		}
		rows = append(rows, r)
	}
	return meansPanel(m.Measure, rows, g.Compared.Groups)
}

// differences draws how all but the first group differ from it, around 0.
func (g GroupContrasts) differences(m group.MeasureContrasts) chart.Panel {
	var rows []groupRow
	for _, row := range m.Iterations {
		r := groupRow{k: row.K}
		for _, o := range row.Groups[1:] {
			r.differences = append(r.differences, o.Against.Difference)
		}
		rows = append(rows, r)
	}
	var keys []chart.Key
	names, looks := group.NamesOf(g.Compared.Groups...), groupLooks(g.Compared.Groups...)
	for i, l := range looks[1:] {
		keys = append(keys, chart.Key{Text: names[i+1] + " − " + names[0], Ink: l.ink(), Glyph: l.glyph()})
	}
	return differencesPanel(rows, looks[0].ink(), keys)
}

// groupRow is what groups came to in iteration k, and how they differ from the first.
type groupRow struct {
	k           int
	means       []stats.Summary
	differences []*stats.Estimate
}

// meansPanel draws the means of groups beside each other, with bars of one standard deviation each way.
func meansPanel(measure string, rows []groupRow, groups []group.Group) chart.Panel {
	p := chart.Panel{X: iterationAxis(len(rows)), Y: chart.EmptyAxis(measureLabel(measure)), Aspect: 0.55}
	p.Y.Margin = true
	names := group.NamesOf(groups...)
	for i, l := range groupLooks(groups...) {
		d, t := chart.Dots{Ink: l.ink(), Glyph: l.glyph()}, chart.Readouts{}
		for _, row := range rows {
			s := row.means[i]
			if s.Mean == nil {
				continue
			}
			spread := 0.0
			if s.SD != nil {
				spread = *s.SD
			}
			x := float64(row.k) + aside(i, len(groups))
			d.Points = append(d.Points, chart.Point{X: x, Y: *s.Mean})
			d.Spans = append(d.Spans, [2]float64{*s.Mean - spread, *s.Mean + spread})
			t.Add(x, *s.Mean, fmt.Sprintf("%s, iteration %d: %s", names[i], row.k, palette.Deviating(*s.Mean, s.SD)))
			p.Y.Include(*s.Mean-spread, *s.Mean+spread)
		}
		p.Marks = append(p.Marks, chart.Line{Points: d.Points, Ink: l.ink(), Width: 0.9, Dash: l.dash()}, d, t)
	}
	return p
}

// differencesPanel draws differences with their intervals around 0, which is a line of the given ink.
func differencesPanel(rows []groupRow, zero chart.Ink, keys []chart.Key) chart.Panel {
	p := chart.Panel{X: iterationAxis(len(rows)), Y: chart.Axis{Margin: true}, Aspect: 0.55}
	p.Marks = []chart.Mark{chart.Rule{At: 0, Across: true, Ink: zero, Width: 0.9}}
	for i, key := range keys {
		d, t := chart.Dots{Ink: key.Ink, Glyph: key.Glyph}, chart.Readouts{}
		for _, row := range rows {
			e := row.differences[i]
			if e == nil {
				continue
			}
			low, high := e.Value, e.Value
			if e.Low != nil && e.High != nil {
				low, high = *e.Low, *e.High
			}
			x := float64(row.k) + aside(i, len(keys))
			d.Points = append(d.Points, chart.Point{X: x, Y: e.Value})
			d.Spans = append(d.Spans, [2]float64{low, high})
			t.Add(x, e.Value, fmt.Sprintf("%s, iteration %d: %s", key.Text, row.k, palette.Within(e.Value, e.Low, e.High)))
			p.Y.Include(low, high)
		}
		p.Marks = append(p.Marks, d, t)
	}
	return p
}
