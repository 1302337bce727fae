package figure

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Style is how a figure is to look.
type Style struct {
	Width float64 // in points
	Theme string  // one of [Themes]
	Title bool
}

// Formats are the kinds of file that [Write] knows.
var Formats = []string{"png", "svg", "pdf", "csv"}

// Binary says of a format that a terminal cannot show it.
func Binary(format string) bool { return format == "png" || format == "pdf" }

// Limits of a picture's width, in points, and what a PNG has to an inch.
const (
	MinWidth = 1.5 * 72
	MaxWidth = 20 * 72
	DPI      = 300
)

// maxHeight bounds the memory of a picture, with [MaxWidth].
const maxHeight = 30 * 72

// Columns is how many columns of pixels a picture of that width has, which is how
// finely long series are read.
func Columns(width float64) int { return min(int(width/72*DPI), 3000) }

// Write draws the figure, or writes its numbers.
func Write(w io.Writer, f Figure, format string, s Style) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("unknown format %q", format)
	}
	if format == "csv" {
		return f.Table().CSV(w)
	}
	l, err := arrange(f.chart(), s.Width, s.Title)
	if err != nil {
		return err
	}
	t, width, height := themes[s.Theme], vg.Length(s.Width), vg.Length(l.height)
	switch format {
	case "png":
		return writePNG(w, l, t, width, height)
	case "svg":
		return writeSVG(w, l, t, width, height)
	}
	canvas := vgpdf.New(width, height)
	l.draw(t, draw.NewCanvas(outlined{canvas}, width, height))
	_, err = canvas.WriteTo(w)
	return err
}

func writePNG(w io.Writer, l *layout, t *theme, width, height vg.Length) error {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(DPI), vgimg.UseBackgroundColor(t.paper))
	l.draw(t, draw.NewCanvas(canvas, width, height))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
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
