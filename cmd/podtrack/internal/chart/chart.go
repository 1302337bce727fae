package chart

import (
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// Chart describes a drawing without its size.
type Chart struct {
	Title   string
	Caption string   // for screen readers and searches
	Keys    []Key    // the legend, above the panels
	Scale   *Scale   // of colours, beside the legend
	Notes   []string // under the panels
	Panels  []Panel
	Columns int  // of panels
	Narrow  int  // columns where the picture is narrow; 0 for the same
	Shared  bool // panels above each other have one axis of x
	SharedY bool // panels beside each other have one label of y
}

// mapTexts returns the chart with what a function makes of each of its texts.
func (c Chart) mapTexts(of func(string) string) Chart {
	ticks := func(a Axis) Axis {
		a.Label, a.Ticks = of(a.Label), slices.Clone(a.Ticks)
		for i := range a.Ticks {
			a.Ticks[i].Text = of(a.Ticks[i].Text)
		}
		return a
	}
	c.Title, c.Keys, c.Notes, c.Panels = of(c.Title), slices.Clone(c.Keys), slices.Clone(c.Notes), slices.Clone(c.Panels)
	for i := range c.Keys {
		c.Keys[i].Text = of(c.Keys[i].Text)
	}
	for i := range c.Notes {
		c.Notes[i] = of(c.Notes[i])
	}
	if c.Scale != nil {
		s := *c.Scale
		s.Label = of(s.Label)
		c.Scale = &s
	}
	for i := range c.Panels {
		p := &c.Panels[i]
		p.Title, p.X, p.Y, p.Marks = of(p.Title), ticks(p.X), ticks(p.Y), slices.Clone(p.Marks)
		for j, m := range p.Marks {
			if l, is := m.(Label); is {
				l.Text = of(l.Text)
				p.Marks[j] = l
			}
		}
	}
	return c
}

// Panel is one coordinate system.
type Panel struct {
	Title  string
	X, Y   Axis
	Marks  []Mark
	Aspect float64 // height by width of the area of data
	Height float64 // of that area in points, at least
	Fixed  bool    // the height does not change with the picture's
}

// Key is an entry of the legend.
type Key struct {
	Text  string
	Ink   Ink
	Dash  Dash
	Glyph Glyph
	Box   bool // an area, not a line
	Bare  bool // no line, only the glyph
}

// Scale is the legend of colours that stand for numbers.
type Scale struct {
	Label     string
	Low, High string
	Ink       func(share float64) Ink
	Mark      *ScaleMark // nil for none
}

// ScaleMark is a line across a scale.
type ScaleMark struct {
	At   float64 // share of the scale
	Text string  // behind the scale
}

// DivergingScale returns a scale from −largest to largest.
func DivergingScale(label string, largest float64) *Scale {
	return &Scale{
		Label: label, Low: palette.Short(-largest), High: palette.Short(largest),
		Ink: func(share float64) Ink { return DivergingInk(2*share - 1) },
	}
}
