package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// writeSVG writes the picture with its title and its caption, for screen readers. A program without its font uses
// another one, in which each text is as wide.
func writeSVG(w io.Writer, l *Layout) error {
	canvas := &measuringCanvas{Canvas: vgsvg.New(vg.Length(l.Width), vg.Length(l.Height))}
	l.Draw(canvas)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	picture := bytes.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:'Liberation Sans',Arimo,Arial,Helvetica,'Nimbus Sans',sans-serif;`))
	name := "<title>" + html.EscapeString(l.name) + "</title>\n" +
		"<desc>" + html.EscapeString(l.Caption) + "</desc>\n<g transform="
	picture = canvas.stretch(bytes.Replace(picture, []byte("<g transform="), []byte(name), 1))
	if n := len(canvas.readouts); l.style.Readouts && n > 0 && n <= MaxReadouts {
		over := `<g fill="none" pointer-events="all">` + strings.Join(canvas.readouts, "") + "\n</g>\n</svg>"
		picture = bytes.Replace(picture, []byte("</svg>"), []byte(over), 1)
	}
	_, err := w.Write(picture)
	return err
}

// measuringCanvas records the width of each text, and the readouts.
type measuringCanvas struct {
	*vgsvg.Canvas
	widths   []float64 // in points, in the order in which texts are drawn
	readouts []string  // elements
}

// FillString implements [vg.Canvas].
func (m *measuringCanvas) FillString(face font.Face, at vg.Point, line string) {
	m.widths = append(m.widths, face.Width(line).Points())
	m.Canvas.FillString(face, at, line)
}

// stretch adds the width to each text.
func (m *measuringCanvas) stretch(picture []byte) []byte {
	const begin = "<text "
	parts := bytes.Split(picture, []byte(begin))
	out := parts[0]
	for i, part := range parts[1:] {
		out = fmt.Appendf(out, `%stextLength="%.2f" lengthAdjust="spacingAndGlyphs" `, begin, m.widths[i])
		out = append(out, part...)
	}
	return out
}

// MaxReadouts is the largest number of readouts in a picture. One that would have more has none.
const MaxReadouts = 600

// pointed is how far, in points, the readout of a point reaches to each side.
const pointed = 4

// Readouts is a mark that draws nothing. It has the texts that an SVG shows under the pointer: see [Style.Readouts].
type Readouts struct {
	points []Point
	texts  []string // by point
	Half   float64  // half the side of the square cells around the points; 0 for points
}

// Add adds a readout at (x, y).
func (r *Readouts) Add(x, y float64, text string) {
	r.points, r.texts = append(r.points, Point{x, y}), append(r.texts, text)
}

// draw adds a transparent rectangle for each readout, whose title programs show as its tooltip.
func (r Readouts) draw(p pen) {
	svg, isSVG := p.canvas.Canvas.(*measuringCanvas)
	if !isSVG {
		return
	}
	for i, at := range r.points {
		low, high := p.at(at.X-r.Half, at.Y-r.Half), p.at(at.X+r.Half, at.Y+r.Half)
		if r.Half == 0 {
			low, high = low.Add(point(-pointed, -pointed)), high.Add(point(pointed, pointed))
		}
		size := high.Sub(low)
		svg.readouts = append(svg.readouts, fmt.Sprintf("\n<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"+
			"<title>%s</title></rect>", low.X, p.canvas.Max.Y-high.Y, size.X, size.Y, html.EscapeString(Printable(r.texts[i]))))
	}
}
