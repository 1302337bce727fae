package figure

import (
	"fmt"
	"io"
	"slices"
)

// Formats lists the file formats of [Write].
var Formats = []string{"png", "svg", "pdf", "csv"}

// IsBinary reports whether a terminal cannot show the format.
func IsBinary(format string) bool { return format == "png" || format == "pdf" }

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
