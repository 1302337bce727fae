package figure

import (
	"encoding/csv"
	"errors"
	"io"

	"github.com/podtrack/podtrack/replay/report"
)

// What cannot be plotted.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

// Figure is what is plotted.
type Figure interface {
	// Table is the numbers in the picture.
	Table() DataTable

	chart() chart
}

// DataTable is numbers as text, each in as few digits as give it back.
type DataTable struct {
	Columns []string
	Rows    [][]string
}

func (t *DataTable) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// CSV writes the table.
func (t DataTable) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		if err := c.Write(report.CSVRow(row)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Point is where a series stands.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}
