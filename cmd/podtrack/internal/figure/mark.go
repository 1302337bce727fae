package figure

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// mark is something drawn in a panel.
type mark interface{ draw(pen) }

// glyph is the shape of a mark.
type glyph int

const (
	noGlyph glyph = iota
	disc
	square
	triangle
	diamond
)

// glyphs lists the shapes that distinguish series beside their colours.
var glyphs = []glyph{disc, square, triangle, diamond}

// line joins points.
type line struct {
	points []Point
	ink    ink
	width  float64 // in points; 0 for what is usual
	dash   dash
}

func (m line) draw(p pen) {
	if len(m.points) < 2 {
		return
	}
	width := m.width
	if width == 0 {
		width = 1.1
	}
	p.stroke(m.ink, width, m.dash, p.all(m.points)...)
}

func (p pen) all(points []Point) []vg.Point {
	placed := make([]vg.Point, len(points))
	for i, at := range points {
		placed[i] = p.at(at.X, at.Y)
	}
	return placed
}

// area is the area between two lines.
type area struct {
	low, high []Point
	ink       ink
}

func (m area) draw(p pen) {
	outline := p.all(m.low)
	for i := len(m.high) - 1; i >= 0; i-- {
		outline = append(outline, p.at(m.high[i].X, m.high[i].Y))
	}
	p.fill(m.ink, outline)
}

// dots are marks at points, with lines from low to high through those that have a span.
type dots struct {
	points []Point
	spans  [][2]float64
	ink    ink
	glyph  glyph
	size   float64 // radius in points; 0 for what is usual
}

func (m dots) draw(p pen) {
	size := m.size
	if size == 0 {
		size = 2.2
	}
	for i, at := range m.points {
		if i < len(m.spans) {
			low, high := p.at(at.X, m.spans[i][0]), p.at(at.X, m.spans[i][1])
			p.stroke(m.ink, 0.8, solid, low, high)
			for _, end := range []vg.Point{low, high} {
				p.stroke(m.ink, 0.8, solid, end.Add(point(-1.6, 0)), end.Add(point(1.6, 0)))
			}
		}
		p.glyph(m.ink, m.glyph, size, p.at(at.X, at.Y))
	}
}

// glyph draws a mark with that radius.
func (p pen) glyph(of ink, kind glyph, size float64, at vg.Point) {
	corners, turn := 4, math.Pi/4
	switch kind {
	case disc:
		var path vg.Path
		path.Move(at.Add(point(size, 0)))
		path.Arc(at, vg.Length(size), 0, 2*math.Pi)
		path.Close()
		p.canvas.SetColor(of(p.theme))
		p.canvas.Fill(path)
		return
	case triangle:
		corners, turn = 3, math.Pi/2
	case diamond:
		turn = 0
	}
	var outline []vg.Point
	for i := range corners {
		angle := turn + 2*math.Pi*float64(i)/float64(corners)
		outline = append(outline, at.Add(point(1.25*size*math.Cos(angle), 1.25*size*math.Sin(angle))))
	}
	p.fill(of, outline)
}

// rule is a straight line through the whole panel.
type rule struct {
	at     float64
	across bool // at a height, not at an x
	ink    ink
	dash   dash
	width  float64
}

func (m rule) draw(p pen) {
	width := m.width
	if width == 0 {
		width = 0.7
	}
	if m.across {
		y := p.area.y.at(m.at)
		p.stroke(m.ink, width, m.dash, p.at2(0, y), p.at2(1, y))
		return
	}
	x := p.area.x.at(m.at)
	p.stroke(m.ink, width, m.dash, p.at2(x, 0), p.at2(x, 1))
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

// boundaries are drawn as dashed lines at the starts of iterations; if there are many, they are
// drawn behind the walk.
type boundaries []int64

// apart is how far from each other, in points, lines do not hide what is between.
const apart = 9.0

func (m boundaries) draw(p pen) {
	of, width := ink(faint), 0.6
	if len(m) > 0 && p.area.width/float64(len(m)+1) < apart {
		of, width = withOpacity(faint, 0.45), 0.35
	}
	for _, at := range m {
		rule{at: float64(at), ink: of, dash: dashed, width: width}.draw(p)
	}
}
