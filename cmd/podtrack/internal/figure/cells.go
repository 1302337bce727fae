package figure

// cells is a matrix of colours: column x spans x − ½ to x + ½, row y spans −y − ½ to −y + ½, so
// that row 0 is at the top.
type cells struct {
	rows [][]float64
	ink  func(float64) ink
}

func (m cells) draw(p pen) {
	for y, row := range m.rows {
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end] == row[x] {
				end++
			}
			low, high := p.at(float64(x)-0.5, -float64(y)-0.5), p.at(float64(end)-0.5, 0.5-float64(y))
			of := withOpacity(neutral, 0.35) // where there is no number
			if row[x] == row[x] {
				of = m.ink(row[x])
			}
			p.fill(of, box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
			x = end
		}
	}
	p.stroke(faint, 0.6, solid, p.at2(0, 1), p.at2(1, 1), p.at2(1, 0))
}

// tiles are coloured squares of side 1 around points; the rest of the panel is wall.
type tiles struct {
	points []Point
	ink    func(i int) ink
}

func (m tiles) draw(p pen) {
	p.fill(withOpacity(neutral, 0.55), box(p.area.left, p.area.bottom, p.area.width, p.area.height))
	for i, at := range m.points {
		low, high := p.at(at.X-0.5, at.Y-0.5), p.at(at.X+0.5, at.Y+0.5)
		p.fill(m.ink(i), box(float64(low.X), float64(low.Y), float64(high.X-low.X), float64(high.Y-low.Y)))
	}
}

// arrows are small arrows around points, in whose squares of side 1 they fit.
type arrows struct {
	points   []Point
	headings []Point // of each, of length 1; zero for a dot in place of an arrow
}

func (m arrows) draw(p pen) {
	size := p.area.width / (p.area.x.high - p.area.x.low)
	for i, at := range m.points {
		x, y, dx, dy := at.X, at.Y, m.headings[i].X, m.headings[i].Y
		if dx == 0 && dy == 0 {
			p.glyph(faint, disc, size/10, p.at(x, y))
			continue
		}
		tip := p.at(x+0.3*dx, y+0.3*dy)
		p.stroke(foreground, size/14, solid, p.at(x-0.3*dx, y-0.3*dy), tip)
		p.stroke(foreground, size/14, solid, p.at(x+0.1*dx-0.16*dy, y+0.1*dy-0.16*dx), tip,
			p.at(x+0.1*dx+0.16*dy, y+0.1*dy+0.16*dx))
	}
}

// columnAxis returns an axis with a tick for each column of cells.
func columnAxis(label string, names []string) axis {
	a := axis{label: label, low: -0.5, high: float64(len(names)) - 0.5, plain: true, ticks: []tick{}}
	for i, name := range names {
		a.ticks = append(a.ticks, tick{at: float64(i), text: shorten(printable(name), tickSize, turnedMost)})
	}
	return a
}

// rowAxis returns an axis with a tick for each row with a name.
func rowAxis(label string, names []string) axis {
	a := axis{label: label, low: 0.5 - float64(len(names)), high: 0.5, plain: true, ticks: []tick{}}
	for i, name := range names {
		if name != "" {
			a.ticks = append(a.ticks, tick{at: -float64(i), text: shorten(printable(name), tickSize, turnedMost)})
		}
	}
	return a
}
