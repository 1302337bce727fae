package figure

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Errors of figures without data.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

// Advice of this package's errors.
const (
	AdviceFewerGroups   = "choose %d groups at most"
	AdviceFewerRows     = "choose %d runs at most, or write the numbers as CSV"
	AdviceFewerRuns     = "choose %d runs at most, or draw groups"
	AdviceMoreRuns      = "choose more runs"
	AdvicePlotCoverage  = "draw the coverage of %s"
	AdvicePlotPurposes  = "draw the purposes of %s"
	AdvicePlotSpectrum  = "draw the spectrum of %s, with σ and κ"
	AdviceResume        = "resume run %s"
	AdviceSelectedBoth  = "choose runs that selected purposes in the same iterations"
	AdviceWithoutStates = "draw what needs no states: the spectrum or the purposes"
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
			for _, x := range of {
				row = append(row, textfmt.FormatExact(&x))
			}
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

// writeCSV writes the table.
func (d DataTable) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, row := range append([][]string{d.Columns}, d.Rows...) {
		if err := c.Write(textfmt.CSVRow(row)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
