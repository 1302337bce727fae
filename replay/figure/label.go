package figure

import "gonum.org/v1/plot/text"

// label is text above a place. It is not drawn if rows, which are 1 apart, leave no room for it.
type label struct {
	at   Point
	text string
}

const leastRoom = 9 // in points

func (m label) draw(p pen) {
	at := p.at(m.at.X, m.at.Y)
	if float64(p.at(m.at.X, m.at.Y+1).Y-at.Y) < leastRoom {
		return
	}
	x, y := float64(at.X)-widthOf(m.text, noteSize)/2, float64(at.Y)+6.5
	p.fill(withOpacity(background, 0.8), box(x-0.5, y-noteSize/2+0.5, widthOf(m.text, noteSize)+1, noteSize-1))
	p.write(m.text, noteSize, foreground, x, y, text.XLeft)
}
