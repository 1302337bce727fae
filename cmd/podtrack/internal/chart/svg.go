package chart

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"

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
