package figure

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws everything.
func (l *layout) draw(c draw.Canvas) {
	p := pen{theme: l.theme(), canvas: &c, readouts: l.readouts}
	p.fill(background, box(0, 0, l.width, l.height))
	y := l.height - margin
	for _, line := range l.head {
		y -= lineHeight(titleSize)
		p.write(line, titleSize, foreground, margin, y+lineHeight(titleSize)/2, text.XLeft)
	}
	y -= gap / 2
	for _, line := range l.legend {
		y -= lineHeight(tickSize)
		for _, k := range line {
			p.key(k, y+lineHeight(tickSize)/2)
		}
	}
	if l.scale != nil {
		p.scale(l.scale, y-lineHeight(tickSize)/2, l.width)
	}
	for _, place := range l.places {
		p.area = place.frame()
		p.panel(place)
	}
	y = margin + float64(len(l.foot))*lineHeight(noteSize)
	for _, line := range l.foot {
		y -= lineHeight(noteSize)
		p.write(line, noteSize, faint, margin, y+lineHeight(noteSize)/2, text.XLeft)
	}
}

// panel draws one panel: what is behind the marks, these, and the axes over them.
func (p pen) panel(at place) {
	if !at.x.plain {
		for _, t := range at.x.ticks {
			p.stroke(gridline, 0.5, solid, p.at2(at.x.at(t.at), 0), p.at2(at.x.at(t.at), 1))
		}
	}
	if !at.y.plain {
		for _, t := range at.y.ticks {
			p.stroke(gridline, 0.5, solid, p.at2(0, at.y.at(t.at)), p.at2(1, at.y.at(t.at)))
		}
	}
	for _, m := range at.marks {
		m.draw(p)
	}
	if at.y.isDrawn() {
		p.stroke(faint, 0.6, solid, p.at2(0, 1), p.at2(0, 0))
	}
	if at.x.isDrawn() {
		p.stroke(faint, 0.6, solid, p.at2(0, 0), p.at2(1, 0))
	}
	p.xAxis(at)
	p.yAxis(at)
	if at.title != "" {
		title := shorten(printable(at.title), labelSize, at.width+rightOf)
		p.write(title, labelSize, foreground, at.left, at.bottom+at.height+lineHeight(labelSize)/2+1, text.XLeft)
	}
}

func (p pen) xAxis(at place) {
	for _, t := range at.x.ticks {
		x := at.left + at.x.at(t.at)*at.width
		p.stroke(faint, 0.6, solid, point(x, at.bottom), point(x, at.bottom-tickLength))
		switch {
		case at.bareX:
		case at.turned:
			p.writeVertical(t.text, tickSize, faint, x, at.bottom-tickLength-1.5, text.XRight)
		default:
			p.write(t.text, tickSize, faint, x, at.bottom-tickLength-lineHeight(tickSize)/2, text.XCenter)
		}
	}
	y := at.bottom - tickLength - at.tickHeight() - gap/2
	for _, line := range at.xLines {
		y -= lineHeight(labelSize)
		p.write(line, labelSize, foreground, at.left+at.width/2, y+lineHeight(labelSize)/2, text.XCenter)
	}
}

func (p pen) yAxis(at place) {
	for _, t := range at.y.ticks {
		y := at.bottom + at.y.at(t.at)*at.height
		p.stroke(faint, 0.6, solid, point(at.left, y), point(at.left-tickLength, y))
		p.write(t.text, tickSize, faint, at.left-tickLength-1.5, y, text.XRight)
	}
	x := at.left - at.beside()
	for _, line := range at.yLines {
		x += lineHeight(labelSize)
		p.writeVertical(line, labelSize, foreground, x-lineHeight(labelSize)/2, at.bottom+at.height/2, text.XCenter)
	}
}

// key draws an entry of the legend, its middle at height y.
func (p pen) key(k placedKey, y float64) {
	from, to := k.left, k.left+keyWidth-4
	switch {
	case k.box:
		p.fill(k.ink, box(from+2, y-3, to-from-4, 6))
	case !k.bare:
		p.stroke(k.ink, 1.4, k.dash, point(from, y), point(to, y))
	}
	if k.glyph != noGlyph {
		p.glyph(k.ink, k.glyph, 2.2, point((from+to)/2, y))
	}
	p.write(k.text, tickSize, foreground, k.left+keyWidth, y, text.XLeft)
}

// scale draws a legend of colours at height y.
func (p pen) scale(s *scale, y, width float64) {
	const steps = 40
	x := margin
	ends := widthOf(s.low, tickSize) + widthOf(s.high, tickSize) + 4*gap
	if s.mark != nil {
		ends += widthOf(s.mark.text, tickSize) + 3*gap
	}
	wide := min(80, max(width-2*margin-ends-widthOf(s.label, tickSize), 24))
	label := shorten(printable(s.label), tickSize, width-2*margin-ends-wide)
	p.write(label, tickSize, foreground, x, y, text.XLeft)
	x += widthOf(label, tickSize) + 2*gap
	p.write(s.low, tickSize, faint, x, y, text.XLeft)
	x += widthOf(s.low, tickSize) + gap
	for i := range steps {
		p.fill(s.ink((float64(i)+0.5)/steps), box(x+float64(i)*wide/steps, y-3, wide/steps+0.3, 6))
	}
	p.stroke(faint, 0.4, solid, box(x, y-3, wide+0.3, 6)...)
	p.write(s.high, tickSize, faint, x+wide+gap, y, text.XLeft)
	if s.mark == nil {
		return
	}
	at := x + s.mark.at*wide
	p.stroke(foreground, 1, solid, point(at, y-5), point(at, y+5))
	behind := x + wide + widthOf(s.high, tickSize) + 4*gap
	p.stroke(foreground, 1, solid, point(behind-gap, y-5), point(behind-gap, y+5))
	p.write(s.mark.text, tickSize, foreground, behind, y, text.XLeft)
}
