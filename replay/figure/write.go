package figure

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Style is how a figure is to look.
type Style struct {
	Width  float64 // in points
	Height float64 // in points; 0 for what suits the figure
	DPI    int     // of a PNG; 0 for [DPI]
	Theme  string  // one of [Themes]
	Title  bool
}

// Columns is how many columns of pixels a picture has, which is how finely long
// series are read.
func (s Style) Columns() int { return min(int(s.Width/72*float64(s.dpi())), 3000) }

func (s Style) dpi() int {
	if s.DPI == 0 {
		return DPI
	}
	return s.DPI
}

// Formats are the kinds of file that [Write] knows.
var Formats = []string{"png", "svg", "pdf", "csv"}

// Binary says of a format that a terminal cannot show it.
func Binary(format string) bool { return format == "png" || format == "pdf" }

// Limits of a picture's width and height, in points.
const (
	MinWidth  = 1.5 * 72
	MaxWidth  = 20 * 72
	MinHeight = 0.75 * 72
	MaxHeight = 30 * 72
)

// Write draws the figure, or writes its numbers.
func Write(w io.Writer, f Figure, format string, s Style) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("unknown format %q", format)
	}
	if format == "csv" {
		return f.Table().CSV(w)
	}
	l, err := arrange(f.chart(), s)
	if err != nil {
		return err
	}
	t, width, height := themes[s.Theme], vg.Length(l.width), vg.Length(l.height)
	switch format {
	case "png":
		return writePNG(w, l, t, s.dpi())
	case "svg":
		return writeSVG(w, l, t, width, height)
	}
	canvas := vgpdf.New(width, height)
	l.draw(t, draw.NewCanvas(outlined{canvas}, width, height))
	_, err = canvas.WriteTo(w)
	return err
}

// writeSVG gives the picture a title for those who hear it, and its text other
// fonts to fall back on.
func writeSVG(w io.Writer, l *layout, t *theme, width, height vg.Length) error {
	canvas := vgsvg.New(width, height)
	l.draw(t, draw.NewCanvas(canvas, width, height))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	picture := bytes.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans;`), []byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`))
	name := "<title>" + html.EscapeString(printable(l.name)) + "</title>\n<g transform="
	picture = bytes.Replace(picture, []byte("<g transform="), []byte(name), 1)
	_, err := w.Write(picture)
	return err
}
