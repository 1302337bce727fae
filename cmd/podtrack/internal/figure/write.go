package figure

import (
	"fmt"
	"io"
	"slices"
)

// Formats lists the file formats of [Write].
var Formats = []string{"png", "svg", "pdf", "csv", "txt", "tex"}

// PictureFormats are those of [Formats] that draw.
var PictureFormats = Formats[:3]

// IsBinary reports whether a terminal cannot show the format.
func IsBinary(format string) bool { return format == "png" || format == "pdf" }

// Write draws the figure, or writes its numbers or its caption.
func Write(w io.Writer, f Figure, format string, s Style) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("unknown format %q", format)
	}
	switch format {
	case "csv":
		return f.Table().CSV(w)
	case "txt":
		_, err := fmt.Fprintln(w, printable(Caption(f)))
		return err
	case "tex":
		_, err := fmt.Fprintln(w, LaTeX(Caption(f)))
		return err
	}
	l, err := arrange(f.chart(), s)
	if err != nil {
		return err
	}
	l.caption = Caption(f)
	if s.Readouts {
		l.readouts = &[]readout{}
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
