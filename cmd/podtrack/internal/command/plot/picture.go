package plot

import "github.com/podtrack/podtrack/replay/figure"

// picture is the destination and style of a figure.
type picture struct {
	path    string // "" for stdout
	force   bool
	caption bool // print it, too
	format  string
	style   figure.Style
}

// columns returns the horizontal resolution at which to read. A CSV file has every step, up to
// maxRows.
func (p picture) columns() int {
	if p.format == "csv" {
		return maxRows
	}
	return p.style.Columns()
}

const maxRows = 1 << 16

// bins returns the resolution at which to read an option's states, like [picture.columns].
func (p picture) bins() figure.Bins {
	if p.format == "csv" {
		return figure.Bins{Single: maxRows, Most: maxRows, Whole: true}
	}
	return p.style.MaxBins()
}
