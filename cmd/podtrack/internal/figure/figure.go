package figure

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Errors of figures without data.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

// Figure is a set of data that can be drawn or written as a table.
type Figure interface {
	// Table returns the numbers in the picture.
	Table() DataTable

	// caption returns what the picture shows and in which units. Notes of the chart have the rest.
	caption() string

	chart() chart.Chart
}

// DataTable holds numbers as text, with as few digits as restore them.
type DataTable struct {
	Columns []string
	Rows    [][]string
}

// add adds a row. A list is as many cells, and a floating-point number that is nil an empty one.
func (d *DataTable) add(cells ...any) {
	var row []string
	for _, cell := range cells {
		switch of := cell.(type) {
		case []string:
			row = append(row, of...)
		case []float64:
			row = append(row, textfmt.Map(of, func(x float64) string { return textfmt.FormatExact(&x) })...)
		case float64:
			row = append(row, textfmt.FormatExact(&of))
		case *float64:
			row = append(row, textfmt.FormatExact(of))
		default:
			row = append(row, fmt.Sprint(of))
		}
	}
	d.Rows = append(d.Rows, row)
}

func (d DataTable) writeCSV(w io.Writer) error {
	rows := [][]string{textfmt.CSVRow(d.Columns)}
	for _, row := range d.Rows {
		rows = append(rows, textfmt.CSVRow(row))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// captionOf returns a figure's caption, whole: what it shows and in which units, what its bars and bands are, and the
// runs behind it, if it was made with [WithRuns].
func captionOf(f Figure) string {
	what := strings.Join(slices.Concat([]string{f.caption()}, f.chart().Notes), " ")
	described, ok := f.(figureOfRuns)
	if !ok || len(described.runs) == 0 {
		return what
	}
	return what + " " + group.Provenance(described.runs) + "."
}

// WithRuns returns the figure with the runs that its caption names.
func WithRuns(f Figure, runs ...report.Run) Figure { return figureOfRuns{f, runs} }

// figureOfRuns is a figure with the runs behind it.
type figureOfRuns struct {
	Figure
	runs []report.Run
}

// Table implements [Figure]: its columns that name runs have whole IDs.
func (f figureOfRuns) Table() DataTable {
	ids := make([]schema.Digest, len(f.runs))
	for i, r := range f.runs {
		ids[i] = r.ID
	}
	t, whole := f.Figure.Table(), report.WholeRefs(ids...)
	for i, column := range t.Columns {
		for _, row := range t.Rows {
			// A cell of another column can begin with a number in place of a run.
			if i < len(row) && (slices.Contains([]string{"track", "a", "b"}, column) || strings.Contains(row[i], ":")) {
				row[i] = whole(row[i])
			}
		}
	}
	return t
}

// latex returns a caption as the command of LaTeX.
func latex(caption string) string {
	escaped := textfmt.EscapeLaTeX(chart.Printable(caption))
	return `\caption{` + strings.ReplaceAll(escaped, ` \%`, `\,\%`) + "}"
}

// Formats lists the file formats of [Write].
var Formats = slices.Concat(chart.PictureFormats, []string{"csv", "txt", "tex"})

// IsBinary reports whether a terminal cannot show the format.
func IsBinary(format string) bool { return format == "png" || format == "pdf" }

// Write draws the figure, or writes its numbers or its caption, in one of [Formats].
func Write(w io.Writer, f Figure, format string, s chart.Style) error {
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
	if c.Caption = captionOf(f); s.Command != "" {
		c.Caption += " Drawn by: " + s.Command
	}
	l, err := chart.Arrange(c, s)
	if err != nil {
		return err
	}
	return l.Write(w, format)
}

// Undrawn returns the letters, each once, that a picture of the figure shows as escapes.
func Undrawn(f Figure) string { return f.chart().Undrawn() }
