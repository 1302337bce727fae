package figure

import "github.com/podtrack/podtrack/cmd/podtrack/internal/chart"

// Figure is a set of data that can be drawn or written as a table.
type Figure interface {
	// Table returns the numbers in the picture.
	Table() DataTable

	// caption returns what the picture shows and in which units. Notes of the chart have the rest.
	caption() string

	chart() chart.Chart
}
