package chart

// Axis is one of a panel's two axes.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool
	Whole     bool   // Whole numbers only
	Ticks     []Tick // nil for ticks at round numbers
	Plain     bool   // no grid lines
	Margin    bool   // keep the data away from the ends
	Names     bool   // the texts of ticks are names, which may take two lines
}

// Tick is a position on an axis with its text.
type Tick struct {
	At   float64
	Text string
}

// EmptyAxis returns an axis without a range.
func EmptyAxis(label string) Axis { return Axis{Label: label, Low: MaxFinite, High: -MaxFinite} }

const MaxFinite = 1e300

// Include widens the axis to contain the values.
func (a *Axis) Include(values ...float64) {
	for _, v := range values {
		v = min(max(v, -MaxFinite), MaxFinite)
		a.Low, a.High = min(a.Low, v), max(a.High, v)
	}
}

// isDrawn reports whether the divided axis has a label or ticks.
func (a Axis) isDrawn() bool { return a.Label != "" || len(a.Ticks) > 0 }

// Bare returns the axis without label and ticks.
func (a Axis) Bare() Axis {
	a.Label, a.Ticks = "", []Tick{}
	return a
}
