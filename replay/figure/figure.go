package figure

import (
	"encoding/csv"
	"errors"
	"io"
)

// What cannot be plotted.
var (
	ErrEmpty  = errors.New("nothing to plot")
	ErrStates = errors.New("no states were recorded")
)

// Figure is what is plotted.
type Figure interface {
	// Table is the numbers in the picture.
	Table() Table

	chart() chart
}

// Table is numbers as text, each in as few digits as give it back.
type Table struct {
	Columns []string
	Rows    [][]string
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// CSV writes the table.
func (t Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	return c.WriteAll(t.Rows)
}

// Point is where a series stands.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}
