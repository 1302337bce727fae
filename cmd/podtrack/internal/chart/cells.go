package chart

// Cells is a matrix of colours: column x spans x − ½ to x + ½, row y spans −y − ½ to −y + ½, so
// that row 0 is at the top.
type Cells struct {
	Rows [][]float64
	Ink  func(float64) Ink
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
}

// Tiles are coloured squares of side 1 around points; the rest of the panel is wall.
type Tiles struct {
	Points []Point
	Ink    func(i int) Ink
}

func (t Tiles) draw(p pen) {
	p.fill(WithOpacity(Neutral, 0.55), box(p.area.left, p.area.bottom, p.area.width, p.area.height))
	for i, at := range t.Points {
		low, high := p.at(at.X-0.5, at.Y-0.5), p.at(at.X+0.5, at.Y+0.5)
		p.fill(t.Ink(i), box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
	}
}

// Arrows are small arrows around points, in whose squares of side 1 they fit.
type Arrows struct {
	Points   []Point
	Headings []Point // of each, of length 1; zero for a dot in place of an arrow
}

func (a Arrows) draw(p pen) {
	size := p.area.width / (p.area.x.High - p.area.x.Low)
	for i, at := range a.Points {
		x, y, dx, dy := at.X, at.Y, a.Headings[i].X, a.Headings[i].Y
		if dx == 0 && dy == 0 {
			p.glyph(Faint, Disc, size/10, p.at(x, y))
			continue
		}
		tip := p.at(x+0.3*dx, y+0.3*dy)
		p.stroke(Foreground, size/14, Solid, p.at(x-0.3*dx, y-0.3*dy), tip)
		p.stroke(Foreground, size/14, Solid, p.at(x+0.1*dx-0.16*dy, y+0.1*dy-0.16*dx), tip,
			p.at(x+0.1*dx+0.16*dy, y+0.1*dy+0.16*dx))
	}
}

// ColumnAxis returns an axis with a tick for each column of cells.
func ColumnAxis(label string, names []string) Axis {
	a := Axis{Label: label, Low: -0.5, High: float64(len(names)) - 0.5, Plain: true, Ticks: []Tick{}}
	for i, name := range names {
		a.Ticks = append(a.Ticks, Tick{At: float64(i), Text: shorten(Printable(name), tickSize, turnedMost)})
	}
	return a
}

// RowAxis returns an axis with a tick for each row with a name.
func RowAxis(label string, names []string) Axis {
	a := Axis{Label: label, Low: 0.5 - float64(len(names)), High: 0.5, Plain: true, Ticks: []Tick{}}
	for i, name := range names {
		if name != "" {
			a.Ticks = append(a.Ticks, Tick{At: -float64(i), Text: shorten(Printable(name), tickSize, turnedMost)})
		}
	}
	return a
}
