package figure

import "github.com/podtrack/podtrack/replay/grammar"

// chart describes a drawing without its size.
type chart struct {
	title   string
	keys    []key    // the legend, above the panels
	scale   *scale   // of colours, beside the legend
	notes   []string // under the panels
	panels  []panel
	columns int  // of panels
	narrow  int  // columns where the picture is narrow; 0 for the same
	shared  bool // panels above each other have one axis of x
	sharedY bool // panels beside each other have one label of y
}

// panel is one coordinate system.
type panel struct {
	title  string
	x, y   axis
	marks  []mark
	aspect float64 // height by width of the area of data
	height float64 // of that area in points, at least
	fixed  bool    // the height does not change with the picture's
}

// key is an entry of the legend.
type key struct {
	text  string
	ink   ink
	dash  dash
	glyph glyph
	box   bool // an area, not a line
	bare  bool // no line, only the glyph
}

// scale is the legend of colours that stand for numbers.
type scale struct {
	label     string
	low, high string
	ink       func(share float64) ink
	mark      *scaleMark // nil for none
}

// scaleMark is a line across a scale.
type scaleMark struct {
	at   float64 // share of the scale
	text string  // behind the scale
}

// divergingScale returns a scale from −largest to largest.
func divergingScale(label string, largest float64) *scale {
	return &scale{
		label: label, low: grammar.Short(-largest), high: grammar.Short(largest),
		ink: func(share float64) ink { return diverging(2*share - 1) },
	}
}
