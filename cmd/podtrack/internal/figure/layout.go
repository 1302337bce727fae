package figure

import "cmp"

// Distances, in points.
const (
	margin     = 5.0
	gap        = 4.0
	tickLength = 2.5
	narrowest  = 4.5 * 72 // from which on a picture is not narrow
	turnedMost = 70       // of text that stands upright under an axis
)

// leastColumn is the minimum width of a data area, in points.
const leastColumn = 24

// leastRow is the minimum height of a row of panels, in points: the length of a word of its label.
const leastRow = 42

// layout is a chart with the places of all its parts, in points from the left and from the bottom.
type layout struct {
	Chart
	style   Style
	name    string // the title, drawn or not
	width   float64
	height  float64
	stretch float64  // of the areas of data, 1 where no height is asked for
	head    []string // lines of the title
	legend  [][]placedKey
	foot    []string // lines of notes
	places  []place
	room    float64 // that an area of data has in a row

	readouts *[]readout // filled when it is drawn, nil if nobody asks
}

// place is the place of a panel's data area.
type place struct {
	panel
	left, bottom, width, height float64
	xLines, yLines              []string // of the axes' labels
	bareX                       bool     // the panel below has the axis
	turned                      bool     // ticks of x stand upright
	under                       float64  // height of what is under the area
}

type placedKey struct {
	key
	left float64
}

// frame returns the data area for a [pen].
func (p place) frame() frame {
	return frame{x: p.x, y: p.y, left: p.left, bottom: p.bottom, width: p.width, height: p.height}
}

// theme returns the theme of the layout's style.
func (l *layout) theme() *theme { return themes[cmp.Or(l.style.Theme, Themes[0])] }

// inner returns the width between the margins.
func (l *layout) inner() float64 { return l.width - 2*margin }

// rightOf is the room to the right of a data area, for half a tick's text.
const rightOf = 10
