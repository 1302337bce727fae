package figure

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

// axis is one of a panel's two axes.
type axis struct {
	label     string
	low, high float64
	log       bool
	whole     bool   // whole numbers only
	ticks     []tick // in place of those that are made for the range
	plain     bool   // no grid lines
	margin    bool   // keep the data away from the ends
}

// tick is a position on an axis with its text.
type tick struct {
	at   float64
	text string
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
}

// dash is a line style.
type dash int

const (
	solid dash = iota
	dashed
	dotted
	mixed
)

// dashes lists the styles that distinguish rules.
var dashes = []dash{dashed, dotted, mixed}

// glyph is the shape of a mark.
type glyph int

const (
	noGlyph glyph = iota
	disc
	square
	triangle
	diamond
)

// glyphs lists the shapes that distinguish series beside their colours.
var glyphs = []glyph{disc, square, triangle, diamond}

// include widens the axis to contain the values.
func (a *axis) include(values ...float64) {
	for _, v := range values {
		v = min(max(v, -maxFinite), maxFinite)
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
}

// emptyAxis returns an axis without a range.
func emptyAxis(label string) axis { return axis{label: label, low: maxFinite, high: -maxFinite} }

const maxFinite = 1e300
