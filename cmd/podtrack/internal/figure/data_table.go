package figure

import (
	"encoding/csv"
	"errors"
	"io"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Errors of figures without data.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

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
