package chart

import "gonum.org/v1/plot/vg"

// Cells is a matrix of colours: column x spans x − ½ to x + ½, row y spans −y − ½ to −y + ½, so
// that row 0 is at the top.
type Cells struct {
	Rows [][]float64
	Ink  func(float64) Ink
	Tell func(row, column int) string // the readout of a cell
}

func (c Cells) draw(p pen) {
	for y, row := range c.Rows {
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end] == row[x] {
				end++
			}
			low, high := p.at(float64(x)-0.5, -float64(y)-0.5), p.at(float64(end)-0.5, 0.5-float64(y))
			of := WithOpacity(Neutral, 0.35) // where there is no number
			if row[x] == row[x] {
				of = c.Ink(row[x])
			}
			p.fill(of, box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
			x = end
		}
	}
	p.stroke(Faint, 0.6, Solid, p.atShare(0, 1), p.atShare(1, 1), p.atShare(1, 0))
	if len(c.Rows)*len(c.Rows[0]) > MaxReadouts {
		return
	}
	told := Readouts{Half: 0.5}
	for y, row := range c.Rows {
		for x := range row {
			told.Add(float64(x), -float64(y), c.Tell(y, x))
		}
	}
	told.draw(p)
}

// Tiles are coloured squares of side 1 around points; the rest of the panel is wall.
type Tiles struct {
	Points []Point
	Ink    func(i int) Ink
}

func (t Tiles) draw(p pen) {
	p.fill(WithOpacity(Neutral, 0.55), box(p.area.Left, p.area.Bottom, p.area.Width, p.area.Height))
	for i, at := range t.Points {
		low, high := p.at(at.X-0.5, at.Y-0.5), p.at(at.X+0.5, at.Y+0.5)
		p.fill(t.Ink(i), box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
	}
}

// Arrows are small arrows around points, each in a square that fits into the cell of side 1 around its point.
type Arrows struct {
	Points   []Point
	Headings []Point // of each, of length 1; zero for a dot in place of an arrow
}

func (a Arrows) draw(p pen) {
	width, height := p.area.Width/(p.area.X.High-p.area.X.Low), p.area.Height/(p.area.Y.High-p.area.Y.Low)
	size := min(width, height)
	for i, at := range a.Points {
		ahead, across := a.Headings[i], Point{a.Headings[i].Y, a.Headings[i].X}
		place := func(forward, sideways float64) vg.Point {
			return p.at(at.X+size/width*(forward*ahead.X+sideways*across.X),
				at.Y+size/height*(forward*ahead.Y+sideways*across.Y))
		}
		if ahead == (Point{}) {
			p.glyph(Faint, Disc, size/10, place(0, 0))
			continue
		}
		p.stroke(Foreground, size/14, Solid, place(-0.3, 0), place(0.3, 0))
		p.stroke(Foreground, size/14, Solid, place(0.1, -0.16), place(0.3, 0), place(0.1, 0.16))
	}
}

// ColumnAxis returns an axis with a tick for each column of cells with a name.
func ColumnAxis(label string, names []string) Axis {
	a := Axis{Label: label, Low: -0.5, High: float64(len(names)) - 0.5, Plain: true, Ticks: []Tick{}}
	for i, name := range names {
		if name != "" {
			a.Ticks = append(a.Ticks, Tick{At: float64(i), Text: shorten(Printable(name), tickSize, turnedMost)})
		}
	}
	return a
}

// RowAxis returns an axis with a tick for each row with a name: rows count downwards.
func RowAxis(label string, names []string) Axis {
	a := ColumnAxis(label, names)
	for i := range a.Ticks {
		a.Ticks[i].At *= -1
	}
	a.Low, a.High = -a.High, -a.Low
	return a
}
