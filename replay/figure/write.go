package figure

import (
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Style describes how a figure looks.
type Style struct {
	Width  float64 // in points
	Height float64 // in points; 0 for what suits the figure
	DPI    int     // of a PNG; 0 for [DPI]
	Theme  string  // one of [Themes]
	Title  bool
}

// Columns returns the number of pixel columns of a picture, the resolution at which long series
// are read.
func (s Style) Columns() int { return min(int(s.Width/72*float64(s.dpi())), 3000) }

func (s Style) dpi() int {
	if s.DPI == 0 {
		return DPI
	}
	return s.DPI
}

// Formats lists the file formats of [Write].
var Formats = []string{"png", "svg", "pdf", "csv"}

// IsBinary reports whether a terminal cannot show the format.
func IsBinary(format string) bool { return format == "png" || format == "pdf" }

// Limits of a picture's width and height, in points.
const (
	MinWidth  = 1.5 * 72
	MaxWidth  = 20 * 72
	MinHeight = 0.75 * 72
	MaxHeight = 30 * 72
)

// Write draws the figure or writes its numbers.
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
	switch t := themes[s.Theme]; format {
	case "png":
		return writePNG(w, l, t, s.dpi())
	case "svg":
		return writeSVG(w, l, t)
	default:
		return writePDF(w, l, t)
	}
}

func writePDF(w io.Writer, l *layout, t *theme) error {
	width, height := vg.Length(l.width), vg.Length(l.height)
	canvas := vgpdf.New(width, height)
	l.draw(t, draw.NewCanvas(outlineCanvas{canvas}, width, height))
	_, err := canvas.WriteTo(w)
	return err
}
