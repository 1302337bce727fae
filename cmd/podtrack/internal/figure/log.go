package figure

import (
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// LogAxes are the axes of a figure that are logarithmic.
type LogAxes struct{ X, Y bool }

// logNote explains what a figure with logarithmic axes lacks.
const logNote = "A logarithmic axis has no place for 0 and what is below it."

// apply makes axes of a chart's panel logarithmic. Points without a place there are left out, and areas end where the
// lowest mark is.
func (l LogAxes) apply(c *chart.Chart, p *chart.Panel) {
	if !l.X && !l.Y {
		return
	}
	p.X.Log, p.Y.Log = l.X, l.Y
	x, y, isLow := chart.EmptyAxis(""), chart.EmptyAxis(""), false
	keep := func(points []chart.Point) (kept []chart.Point) {
		for _, at := range points {
			isLow = isLow || l.Y && at.Y <= 0
			if !(l.X && at.X <= 0 || l.Y && at.Y <= 0) {
				x.Include(at.X)
				y.Include(at.Y)
				kept = append(kept, at)
			}
		}
		return kept
	}
	for i, m := range p.Marks {
		switch m := m.(type) {
		case chart.Line:
			m.Points = keep(m.Points)
			p.Marks[i] = m
		case chart.Dots:
			m.Points = keep(m.Points)
			p.Marks[i] = m
		case chart.Area:
			keep(m.High)
		}
	}
	if l.X {
		p.X.Low, p.X.High = x.Low, x.High
	}
	if l.Y {
		const room = 1.1
		p.Y.Low, p.Y.High = y.Low/room, y.High*room
	}
	for i, m := range p.Marks {
		if area, ok := m.(chart.Area); ok {
			area.Low, area.High = l.within(*p, area.Low), l.within(*p, area.High)
			p.Marks[i] = area
		}
	}
	if isLow && !slices.Contains(c.Notes, logNote) {
		c.Notes = append(c.Notes, logNote)
	}
}

// within returns the points of an end of an area, moved into the panel.
func (l LogAxes) within(p chart.Panel, points []chart.Point) []chart.Point {
	moved := slices.Clone(points)
	for i, at := range moved {
		if l.X {
			moved[i].X = max(at.X, p.X.Low)
		}
		if l.Y {
			moved[i].Y = max(at.Y, p.Y.Low)
		}
	}
	return moved
}
