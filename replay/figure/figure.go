package figure

// Figure is a set of data that can be drawn or written as a table.
type Figure interface {
	// Table returns the numbers in the picture.
	Table() DataTable

	chart() chart
}
