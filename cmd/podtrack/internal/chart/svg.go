package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// writeSVG writes the picture with its title and its caption, for screen readers, and its font. Programs that take no
// fonts from an SVG use another one, in which each text is as wide.
func writeSVG(w io.Writer, l *Layout) error {
	canvas := &measuringCanvas{Canvas: vgsvg.New(vg.Length(l.Width), vg.Length(l.Height))}
	l.Draw(canvas)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	picture := bytes.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:'Liberation Sans',Arimo,Arial,Helvetica,'Nimbus Sans',sans-serif;`))
	face := "<style>@font-face{font-family:'Liberation Sans';src:url(data:font/ttf;base64," +
		base64.StdEncoding.EncodeToString(newFontSubset(canvas.lines).file) + ")}</style>\n"
	meta := ""
	if l.readouts != nil {
		readouts, err := json.Marshal(*l.readouts)
		if err != nil {
			return err
		}
		meta = "<metadata>" + string(readouts) + "</metadata>\n"
	}
	name := "<title>" + html.EscapeString(Printable(l.name)) + "</title>\n" +
		"<desc>" + html.EscapeString(Printable(l.Caption)) + "</desc>\n" + meta + face + "<g transform="
	picture = bytes.Replace(picture, []byte("<g transform="), []byte(name), 1)
	_, err := w.Write(canvas.stretch(picture))
	return err
}

// measuringCanvas records each text and its width.
type measuringCanvas struct {
	*vgsvg.Canvas
	lines  []string
	widths []float64 // in points, in the order in which texts are drawn
}

// FillString implements [vg.Canvas].
func (m *measuringCanvas) FillString(face font.Face, at vg.Point, line string) {
	m.lines = append(m.lines, line)
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

// MaxReadouts is the largest number of readouts in a picture. Marks beyond it have none.
const MaxReadouts = 20_000

// Readouts is a mark that draws nothing. It holds the readouts of other marks, at points or in square cells centred on
// them.
type Readouts struct {
	points []Point
	texts  []string   // by point
	refs   [][]string // by point
	Half   float64    // half the side of a cell; 0 for points
}

// Add adds a readout at (x, y): its text, and references to what the page opens from there.
func (r *Readouts) Add(x, y float64, text string, refs ...string) {
	r.points, r.texts, r.refs = append(r.points, Point{x, y}), append(r.texts, text), append(r.refs, refs)
}

// draw adds the readouts to those of the picture, which the page shows when the pointer or the arrow keys are at the
// place, and in the picture's table. Each is an array of its left, top, width, height, text, and references.
func (r Readouts) draw(p pen) {
	if p.readouts == nil || len(*p.readouts)+len(r.points) > MaxReadouts {
		return
	}
	round := func(x vg.Length) float64 { return math.Round(10*x.Points()) / 10 }
	for i, at := range r.points {
		low, high := p.at(at.X-r.Half, at.Y-r.Half), p.at(at.X+r.Half, at.Y+r.Half)
		width, height := high.X-low.X, high.Y-low.Y // 0 of a data point
		row := []any{round(low.X), round(p.canvas.Max.Y - low.Y - height), round(width), round(height), r.texts[i]}
		for _, ref := range r.refs[i] { // what the page opens from here: nothing, an option, or two things to compare
			row = append(row, ref)
		}
		*p.readouts = append(*p.readouts, row)
	}
}
