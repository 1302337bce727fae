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
