package chart

import (
	"cmp"
	"math"

	"gonum.org/v1/plot/vg"
)

// Mark is something drawn in a panel.
type Mark interface{ draw(pen) }

// Glyph is the shape of a mark.
type Glyph int

const (
	noGlyph Glyph = iota
	Disc
	Square
	Triangle
	Diamond
	TriangleDown
	plus
	cross
	Ring
)

// Glyphs lists the shapes that distinguish series beside their colours, of which there are fewer by one: series of one
// colour have different shapes.
var Glyphs = []Glyph{Disc, Square, Triangle, Diamond, TriangleDown, plus, cross, Ring}

// Line joins points.
type Line struct {
	Points []Point
	Ink    Ink
	Width  float64 // in points; 0 for what is usual
	Dash   Dash
}

func (l Line) draw(p pen) {
	if len(l.Points) < 2 {
		return
	}
	p.stroke(l.Ink, cmp.Or(l.Width, 1.1), l.Dash, p.all(l.Points)...)
}

func (p pen) all(points []Point) []vg.Point {
	placed := make([]vg.Point, len(points))
	for i, at := range points {
		placed[i] = p.at(at.X, at.Y)
	}
	return placed
}

// Area is the area between two lines.
type Area struct {
	Low, High []Point
	Ink       Ink
}

func (a Area) draw(p pen) {
	outline := p.all(a.Low)
	for i := len(a.High) - 1; i >= 0; i-- {
		outline = append(outline, p.at(a.High[i].X, a.High[i].Y))
	}
	p.fill(a.Ink, outline)
}

// Box returns the area of a rectangle.
func Box(left, right, low, high float64, of Ink) Area {
	return Area{Low: []Point{{left, low}, {right, low}}, High: []Point{{left, high}, {right, high}}, Ink: of}
}

// Dots are marks at points, with error bars at those that have a span.
type Dots struct {
	Points []Point
	Spans  [][2]float64
	Ink    Ink
	Glyph  Glyph
	Size   float64 // radius in points; 0 for what is usual
}

func (d Dots) draw(p pen) {
	for i, at := range d.Points {
		if i < len(d.Spans) {
			low, high := p.at(at.X, d.Spans[i][0]), p.at(at.X, d.Spans[i][1])
			p.stroke(d.Ink, 0.8, Solid, low, high)
			for _, end := range []vg.Point{low, high} {
				p.stroke(d.Ink, 0.8, Solid, end.Add(point(-1.6, 0)), end.Add(point(1.6, 0)))
			}
		}
		p.glyph(d.Ink, d.Glyph, cmp.Or(d.Size, 2.2), p.at(at.X, at.Y))
	}
}

// glyph draws a mark with that radius.
func (p pen) glyph(of Ink, kind Glyph, size float64, at vg.Point) {
	corners, turn := 4, math.Pi/4
	switch kind {
	case Disc, Ring:
		p.disc(of, size, at)
		if kind == Ring {
			p.disc(Background, 0.55*size, at)
		}
		return
	case plus, cross:
		p.bars(of, size, at, kind == cross)
		return
	case Triangle:
		corners, turn = 3, math.Pi/2
	case TriangleDown:
		corners, turn = 3, -math.Pi/2
	case Diamond:
		turn = 0
	}
	var outline []vg.Point
	for i := range corners {
		angle := turn + 2*math.Pi*float64(i)/float64(corners)
		outline = append(outline, at.Add(point(1.25*size*math.Cos(angle), 1.25*size*math.Sin(angle))))
	}
	p.fill(of, outline)
}

// disc draws a filled circle.
func (p pen) disc(of Ink, radius float64, at vg.Point) {
	var path vg.Path
	path.Move(at.Add(point(radius, 0)))
	path.Arc(at, vg.Length(radius), 0, 2*math.Pi)
	path.Close()
	p.canvas.SetColor(of(p.theme))
	p.canvas.Fill(path)
}

// bars draws two bars that cross each other, upright or turned.
func (p pen) bars(of Ink, size float64, at vg.Point, isTurned bool) {
	x, y := 1.3*size, 0.0
	if isTurned {
		x, y = size, size
	}
	p.stroke(of, 0.6*size, Solid, at.Add(point(-x, -y)), at.Add(point(x, y)))
	p.stroke(of, 0.6*size, Solid, at.Add(point(y, -x)), at.Add(point(-y, x)))
}

// Rule is a straight line through the whole panel.
type Rule struct {
	At     float64
	Across bool // at a height, not at an x
	Ink    Ink
	Dash   Dash
	Width  float64
}

func (r Rule) draw(p pen) {
	width := cmp.Or(r.Width, 0.7)
	if r.Across {
		y := p.area.Y.at(r.At)
		p.stroke(r.Ink, width, r.Dash, p.atShare(0, y), p.atShare(1, y))
		return
	}
	x := p.area.X.at(r.At)
	p.stroke(r.Ink, width, r.Dash, p.atShare(x, 0), p.atShare(x, 1))
}

// Boundaries are dashed vertical lines at the starts of iterations.
type Boundaries []int64

func (b Boundaries) draw(p pen) {
	for _, at := range b {
		Rule{At: float64(at), Ink: Pale, Dash: Dashed, Width: 0.5}.draw(p)
	}
}
