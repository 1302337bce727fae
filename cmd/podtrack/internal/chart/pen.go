package chart

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pen draws in a panel.
type pen struct {
	*theme
	canvas *draw.Canvas
	area   place // of the panel

	readouts *[][]any // where marks add their readouts; nil if the picture has none
}

// Dash is a line style.
type Dash int

const (
	Solid Dash = iota
	Dashed
	dotted
	mixed
)

// patterns holds the lengths of a style's dashes and of the gaps between them.
var patterns = map[Dash][]vg.Length{Dashed: {4, 2.5}, dotted: {1.2, 1.8}, mixed: {4, 2, 1.2, 2}}

// Dashes lists the styles by which a chart with several [Rule] marks distinguishes them.
var Dashes = []Dash{Dashed, dotted, mixed}

// at returns the position on the canvas of a data point.
func (p pen) at(x, y float64) vg.Point { return p.atShare(p.area.X.at(x), p.area.Y.at(y)) }

// atShare returns the position on the canvas of a point of the data area, whose coordinates run from 0 to 1.
func (p pen) atShare(x, y float64) vg.Point {
	return point(p.area.Left+x*p.area.Width, p.area.Bottom+y*p.area.Height)
}

// point returns a position rounded to a hundredth of a point, so that pictures do not depend on how
// a processor rounds.
func point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(math.Round(100*x) / 100), Y: vg.Length(math.Round(100*y) / 100)}
}

// box returns the outline of a rectangle.
func box(x, y, width, height float64) []vg.Point {
	return []vg.Point{point(x, y), point(x+width, y), point(x+width, y+height), point(x, y+height), point(x, y)}
}

func (p pen) fill(of Ink, outline []vg.Point) { p.canvas.FillPolygon(of(p.theme), outline) }

func (p pen) stroke(of Ink, width float64, kind Dash, points ...vg.Point) {
	style := draw.LineStyle{Color: of(p.theme), Width: vg.Length(width), Dashes: patterns[kind]}
	p.canvas.StrokeLines(style, points)
}

// write writes a line of text with its middle at height y.
func (p pen) write(line string, size float64, of Ink, x, y float64, align text.XAlignment) {
	s := textStyle(size, of, p.theme)
	s.XAlign = align
	p.canvas.FillText(s, point(x, y+baselineShift*size), line)
}

// baselineShift is the distance from the middle of a font's height down to the middle of its
// letters, relative to the font's size.
const baselineShift = 0.09

// writeVertical writes a line like [pen.write], rotated by 90° counterclockwise.
func (p pen) writeVertical(line string, size float64, of Ink, x, y float64, align text.XAlignment) {
	s := textStyle(size, of, p.theme)
	s.XAlign, s.Rotation = align, math.Pi/2
	p.canvas.FillText(s, point(x-baselineShift*size, y), line)
}
