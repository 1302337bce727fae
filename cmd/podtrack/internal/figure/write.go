package figure

import (
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// Formats lists the file formats of [Write].
var Formats = slices.Concat(chart.PictureFormats, []string{"csv", "txt", "tex"})

// IsBinary reports whether a terminal cannot show the format.
func IsBinary(format string) bool { return format == "png" || format == "pdf" }

// Write draws the figure, or writes its numbers or its caption.
func Write(w io.Writer, f Figure, format string, s chart.Style) error {
	if !slices.Contains(Formats, format) {
		return fmt.Errorf("unknown format %q", format)
	}
	switch format {
	case "csv":
		return f.Table().writeCSV(w)
	case "txt":
		_, err := fmt.Fprintln(w, chart.Printable(captionOf(f)))
		return err
	case "tex":
		_, err := fmt.Fprintln(w, latex(captionOf(f)))
		return err
	}
	c := f.chart()
	c.Caption = captionOf(f)
	l, err := chart.Arrange(c, s)
	if err != nil {
		return err
	}
	return l.Write(w, format)
}

// Undrawn returns the letters, each once, that a picture of the figure shows as escapes.
func Undrawn(f Figure) string { return f.chart().Undrawn() }
