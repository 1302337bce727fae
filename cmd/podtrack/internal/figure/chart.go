package figure

import (
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/grammar"
)

// Chart describes a drawing without its size.
type Chart struct {
	title   string
	caption string   // what it shows, for a screen reader and a search
	keys    []key    // the legend, above the panels
	scale   *scale   // of colours, beside the legend
	notes   []string // under the panels
	panels  []panel
	columns int  // of panels
	narrow  int  // columns where the picture is narrow; 0 for the same
	shared  bool // panels above each other have one axis of x
	sharedY bool // panels beside each other have one label of y
}

// mapTexts returns the chart with what a function makes of each of its texts.
func (c Chart) mapTexts(of func(string) string) Chart {
	ticks := func(a axis) axis {
		a.label, a.ticks = of(a.label), slices.Clone(a.ticks)
		for i := range a.ticks {
			a.ticks[i].text = of(a.ticks[i].text)
		}
		return a
	}
	c.title, c.keys, c.notes, c.panels = of(c.title), slices.Clone(c.keys), slices.Clone(c.notes), slices.Clone(c.panels)
	for i := range c.keys {
		c.keys[i].text = of(c.keys[i].text)
	}
	for i := range c.notes {
		c.notes[i] = of(c.notes[i])
	}
	if c.scale != nil {
		s := *c.scale
		s.label = of(s.label)
		c.scale = &s
	}
	for i := range c.panels {
		p := &c.panels[i]
		p.title, p.x, p.y, p.marks = of(p.title), ticks(p.x), ticks(p.y), slices.Clone(p.marks)
		for j, m := range p.marks {
			if l, is := m.(label); is {
				l.text = of(l.text)
				p.marks[j] = l
			}
		}
	}
	return c
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
