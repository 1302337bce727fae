package figure

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// link is an arrow from one place to another, as wide as its share.
type link struct {
	from, to Point
	share    float64 // 0 to 1
	ink      ink
}

// head is the length of an arrow's head, in points, and arrowGap what is left free
// before the place that it points to.
const (
	head     = 4.0
	arrowGap = 4.0
)

func (m link) draw(p pen) {
	from, to := p.at(m.from.X, m.from.Y), p.at(m.to.X, m.to.Y)
	dx, dy := float64(to.X-from.X), float64(to.Y-from.Y)
	length := math.Hypot(dx, dy)
	if length <= arrowGap {
		return
	}
	width := 0.4 + 3*m.share
	along := func(back, aside float64) vg.Point {
		return to.Add(point(-dx/length*back-dy/length*aside, -dy/length*back+dx/length*aside))
	}
	p.stroke(m.ink, width, solid, from, along(arrowGap+head, 0))
	half := 0.9 + 1.2*width
	p.fill(m.ink, []vg.Point{along(arrowGap, 0), along(arrowGap+head, half), along(arrowGap+head, -half)})
}

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
