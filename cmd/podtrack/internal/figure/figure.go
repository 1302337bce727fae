package figure

import "cmp"

// Figure is a set of data that can be drawn or written as a table.
type Figure interface {
	// Table returns the numbers in the picture.
	Table() DataTable

	// caption returns what the picture shows and in which units. Notes of the chart have the rest.
	caption() string

	chart() chart
}

// Style describes how a figure looks.
type Style struct {
	Width  float64 // in points
	Height float64 // in points; 0 for what suits the figure
	DPI    int     // of a PNG; 0 for [DPI]
	Theme  string  // one of [Themes]
	Title  bool

	Readouts bool // an SVG says what is drawn where, for the page
}

// What a PNG has to an inch.
const (
	DPI    = 300
	MinDPI = 36
	MaxDPI = 1200
)

// Columns returns the number of pixel columns of a picture, the resolution at which long series
// are read.
func (s Style) Columns() int {
	const most = 3000
	return min(int(s.Width/72*float64(s.dpi())), most)
}

func (s Style) dpi() int { return cmp.Or(s.DPI, DPI) }

// Limits of a picture's width and height, in points.
const (
	MinWidth  = 1.5 * 72
	MaxWidth  = 20 * 72
	MinHeight = 0.75 * 72
	MaxHeight = 30 * 72
)
