package chart

import "slices"

// LogAxes are the axes of panels that are logarithmic.
type LogAxes struct{ X, Y bool }

// LogNote explains what a chart with logarithmic axes lacks.
const LogNote = "A logarithmic axis has no place for 0 and what is below it."

// Apply makes axes of a chart's panel logarithmic. Points without a place there are left out, and areas end where the
// lowest mark is.
func (l LogAxes) Apply(c *Chart, p *Panel) {
	if !l.X && !l.Y {
		return
	}
	p.X.Log, p.Y.Log = l.X, l.Y
	x, y, isLow := EmptyAxis(""), EmptyAxis(""), false
	keep := func(points []Point) (kept []Point) {
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
		case Line:
			m.Points = keep(m.Points)
			p.Marks[i] = m
		case Dots:
			m.Points = keep(m.Points)
			p.Marks[i] = m
		case Area:
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
		if area, ok := m.(Area); ok {
			area.Low, area.High = l.within(*p, area.Low), l.within(*p, area.High)
			p.Marks[i] = area
		}
	}
	if isLow && !slices.Contains(c.Notes, LogNote) {
		c.Notes = append(c.Notes, LogNote)
	}
}

// within returns the points of an end of an area, moved into the panel.
func (l LogAxes) within(p Panel, points []Point) []Point {
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
