package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// series is a line of a panel with the look of its key: means, and a band of their intervals.
type series struct {
	chart.Key
	mean, low, high []chart.Point
	dots            chart.Dots // on the line
	told            chart.Readouts
}

// add adds a mean with the ends of its interval, each nil for none. Its readout says where it is, such as "step 3".
func (s *series) add(x float64, where string, mean, low, high *float64) {
	if mean == nil {
		return
	}
	s.mean = append(s.mean, chart.Point{X: x, Y: *mean})
	s.told.Add(x, *mean, fmt.Sprintf("%s, %s: %s", s.Text, where, palette.Within(*mean, low, high)))
	if low != nil && high != nil {
		s.bound(x, *low, *high)
	}
}

// bound adds the ends of an interval.
func (s *series) bound(x, low, high float64) {
	s.low, s.high = append(s.low, chart.Point{X: x, Y: low}), append(s.high, chart.Point{X: x, Y: high})
}

// drawSeries draws series in a panel, whose y axis holds them: behind all lines their bands.
func drawSeries(p *chart.Panel, opacity float64, all []series) {
	for _, s := range all {
		for _, points := range [][]chart.Point{s.mean, s.low, s.high} {
			for _, at := range points {
				p.Y.Include(at.Y)
			}
		}
		if len(s.low) > 1 {
			band := chart.Area{Low: s.low, High: s.high, Ink: chart.WithOpacity(s.Ink, opacity)}
			p.Marks = append(p.Marks, band)
		}
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

// look draws a [group.Look].
type look struct{ group.Look }

// lookOf returns the look of the i-th series of a figure.
func lookOf(i int) look { return look{group.Look{Number: i}} }

func (l look) ink() chart.Ink     { return chart.SeriesInk(l.Number) }
func (l look) dash() chart.Dash   { return groupDash(l.Number + chart.MaxSeries*l.Line) }
func (l look) glyph() chart.Glyph { return chart.Glyphs[l.Number%len(chart.Glyphs)] }

// groupDash returns the line of the i-th group: solid as long as colours last.
func groupDash(i int) chart.Dash { return chart.Dash(i / chart.MaxSeries % (1 + len(chart.Dashes))) }

// key returns the key of the look's series.
func (l look) key(text string) chart.Key {
	return chart.Key{Text: text, Ink: l.ink(), Dash: l.dash(), Glyph: l.glyph()}
}
