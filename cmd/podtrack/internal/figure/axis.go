package figure

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

// emptyAxis returns an axis without a range.
func emptyAxis(label string) axis { return axis{label: label, low: maxFinite, high: -maxFinite} }

const maxFinite = 1e300

// include widens the axis to contain the values.
func (a *axis) include(values ...float64) {
	for _, v := range values {
		v = min(max(v, -maxFinite), maxFinite)
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
}

// isDrawn reports whether the axis, once divided, says something.
func (a axis) isDrawn() bool { return a.label != "" || len(a.ticks) > 0 }

// bare returns the axis without label and ticks.
func (a axis) bare() axis {
	a.label, a.ticks = "", []tick{}
	return a
}
