package chart

import (
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Draw draws everything.
func (l *Layout) Draw(on vg.Canvas) {
	c := draw.NewCanvas(on, vg.Length(l.Width), vg.Length(l.Height))
	p := pen{theme: l.theme(), canvas: &c}
	p.fill(Background, box(0, 0, l.Width, l.Height))
	y := l.Height - margin
	for _, line := range l.head {
		y -= lineHeight(titleSize)
		p.write(line, titleSize, Foreground, margin, y+lineHeight(titleSize)/2, text.XLeft)
	}
	y -= gap / 2
	for _, line := range l.legend {
		y -= lineHeight(tickSize)
		for _, k := range line {
			p.key(k, y+lineHeight(tickSize)/2)
		}
	}
	if l.Scale != nil {
		p.scale(l.Scale, y-lineHeight(tickSize)/2, l.Width)
	}
	for _, place := range l.Places {
		p.area = place
		p.panel(place)
	}
	y = margin + float64(len(l.foot))*lineHeight(noteSize)
	for _, line := range l.foot {
		y -= lineHeight(noteSize)
		p.write(line, noteSize, Faint, margin, y+lineHeight(noteSize)/2, text.XLeft)
	}
}

// panel draws one panel: what is behind the marks, these, and the axes over them.
func (p pen) panel(at place) {
	for i, axis := range []Axis{at.X, at.Y} {
		for _, t := range axis.Ticks {
			if !axis.Plain {
				Rule{At: t.At, Across: i == 1, Ink: gridline, Width: 0.5}.draw(p)
			}
		}
	}
	for _, m := range at.Marks {
		m.draw(p)
	}
	if at.Y.isDrawn() {
		p.stroke(Faint, 0.6, Solid, p.atShare(0, 1), p.atShare(0, 0))
	}
	if at.X.isDrawn() {
		p.stroke(Faint, 0.6, Solid, p.atShare(0, 0), p.atShare(1, 0))
	}
	p.xAxis(at)
	p.yAxis(at)
	above := at.Bottom + at.Height + lineHeight(labelSize)/2 + 1
	if at.Title != "" {
		title := shorten(at.Title, labelSize, at.Width+rightOf)
		p.write(title, labelSize, Foreground, at.Left, above, text.XLeft)
	}
	x := at.Left + at.Width + rightOf
	for _, w := range at.Beside {
		for _, t := range w.At {
			p.write(t.Text, tickSize, Foreground, x, at.Bottom+at.Y.at(t.At)*at.Height, text.XLeft)
		}
		if w.Glyph != noGlyph {
			p.glyph(w.Ink, w.Glyph, 2.2, point(x+(w.width()-gap)/2, above))
		}
		x += w.width()
	}
}

func (p pen) xAxis(at place) {
	for _, t := range at.X.Ticks {
		x := at.Left + at.X.at(t.At)*at.Width
		p.stroke(Faint, 0.6, Solid, point(x, at.Bottom), point(x, at.Bottom-tickLength))
		switch {
		case at.bareX:
		case at.turned:
			p.writeVertical(t.Text, tickSize, Faint, x, at.Bottom-tickLength-1.5, text.XRight)
		default:
			p.write(t.Text, tickSize, Faint, x, at.Bottom-tickLength-lineHeight(tickSize)/2, text.XCenter)
		}
	}
	y := at.Bottom - tickLength - at.tickHeight() - gap/2
	for _, line := range at.xLines {
		y -= lineHeight(labelSize)
		p.write(line, labelSize, Foreground, at.Left+at.Width/2, y+lineHeight(labelSize)/2, text.XCenter)
	}
}

func (p pen) yAxis(at place) {
	for _, t := range at.Y.Ticks {
		y := at.Bottom + at.Y.at(t.At)*at.Height
		p.stroke(Faint, 0.6, Solid, point(at.Left, y), point(at.Left-tickLength, y))
		lines := strings.Split(t.Text, "\n")
		for i, line := range lines {
			down := (float64(i) - float64(len(lines)-1)/2) * lineHeight(tickSize)
			p.write(line, tickSize, Faint, at.Left-tickLength-1.5, y-down, text.XRight)
		}
	}
	x := at.Left - at.beside()
	for _, line := range at.yLines {
		x += lineHeight(labelSize)
		p.writeVertical(line, labelSize, Foreground, x-lineHeight(labelSize)/2, at.Bottom+at.Height/2, text.XCenter)
	}
}

// key draws an entry of the legend, its middle at height y.
func (p pen) key(k placedKey, y float64) {
	from, to := k.left, k.left+keyWidth-4
	switch {
	case k.Box:
		p.fill(k.Ink, box(from+2, y-3, to-from-4, 6))
	case !k.Bare:
		p.stroke(k.Ink, 1.4, k.Dash, point(from, y), point(to, y))
	}
	if k.Glyph != noGlyph {
		p.glyph(k.Ink, k.Glyph, 2.2, point((from+to)/2, y))
	}
	p.write(k.Text, tickSize, Foreground, k.left+keyWidth, y, text.XLeft)
}

// scale draws a legend of colours at height y.
func (p pen) scale(s *Scale, y, width float64) {
	const steps = 40
	x := margin
	ends := widthOf(s.Low, tickSize) + widthOf(s.High, tickSize) + 4*gap
	if s.Mark != nil {
		ends += widthOf(s.Mark.Text, tickSize) + 3*gap
	}
	wide := min(80, max(width-2*margin-ends-widthOf(s.Label, tickSize), 24))
	label := shorten(s.Label, tickSize, width-2*margin-ends-wide)
	p.write(label, tickSize, Foreground, x, y, text.XLeft)
	x += widthOf(label, tickSize) + 2*gap
	p.write(s.Low, tickSize, Faint, x, y, text.XLeft)
	x += widthOf(s.Low, tickSize) + gap
	for i := range steps {
		p.fill(s.Ink((float64(i)+0.5)/steps), box(x+float64(i)*wide/steps, y-3, wide/steps+0.3, 6))
	}
	p.stroke(Faint, 0.4, Solid, box(x, y-3, wide+0.3, 6)...)
	p.write(s.High, tickSize, Faint, x+wide+gap, y, text.XLeft)
	if s.Mark == nil {
		return
	}
	at := x + s.Mark.At*wide
	p.stroke(Foreground, 1, Solid, point(at, y-5), point(at, y+5))
	behind := x + wide + widthOf(s.High, tickSize) + 4*gap
	p.stroke(Foreground, 1, Solid, point(behind-gap, y-5), point(behind-gap, y+5))
	p.write(s.Mark.Text, tickSize, Foreground, behind, y, text.XLeft)
}

// pen draws in a panel.
type pen struct {
	*theme
	canvas *draw.Canvas
	area   place // of the panel
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
