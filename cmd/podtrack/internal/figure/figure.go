package figure

import (
	"encoding/csv"
	"errors"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Errors of figures without data.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

// Advice of this package's errors.
const (
	AdviceFewerGroups   schema.Advice = "choose fewer groups"
	AdviceFewerRows     schema.Advice = "choose fewer runs, or write the numbers as CSV"
	AdviceFewerRuns     schema.Advice = "choose fewer runs, or draw groups"
	AdviceMoreRuns      schema.Advice = "choose more runs"
	AdvicePlotCoverage  schema.Advice = "draw the run's coverage"
	AdvicePlotPurposes  schema.Advice = "draw the run's purposes"
	AdvicePlotSpectrum  schema.Advice = "draw the run's spectrum, with σ and κ"
	AdviceResume        schema.Advice = "resume the run"
	AdviceSelectedBoth  schema.Advice = "choose runs that selected purposes in the same iterations"
	AdviceWithoutStates schema.Advice = "draw what needs no states: the spectrum or the purposes"
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

func (d *DataTable) add(cells ...string) { d.Rows = append(d.Rows, cells) }

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
