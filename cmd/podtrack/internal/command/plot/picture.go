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

// maxNamed is how many groups the page tells apart, where each is named when it is pointed at.
const maxNamed = 200

// checkGroups returns an error for more groups than a picture has room for.
func (p picture) checkGroups(n int) error {
	if p.style.Readouts && n <= maxNamed {
		return nil
	}
	return figure.CheckGroups(n, p.format)
}

const maxRows = 1 << 16

// bins returns the resolution at which to read an option's states, like [picture.columns].
func (p picture) bins() figure.Bins {
	if p.format == "csv" {
		return figure.Bins{Single: maxRows, Most: maxRows, Whole: true}
	}
	return p.style.MaxBins()
}
