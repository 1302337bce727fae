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
		return f.Table().CSV(w)
	case "txt":
		_, err := fmt.Fprintln(w, chart.Printable(Caption(f)))
		return err
	case "tex":
		_, err := fmt.Fprintln(w, LaTeX(Caption(f)))
		return err
	}
	c := f.chart()
	c.Caption = Caption(f)
	l, err := chart.Arrange(c, s)
	if err != nil {
		return err
	}
	return l.Write(w, format)
}

// Undrawn returns the letters, each once, that a picture of the figure shows as escapes.
func Undrawn(f Figure) string { return f.chart().Undrawn() }
