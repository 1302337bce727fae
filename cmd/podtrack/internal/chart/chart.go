package chart

import (
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// Chart describes a picture, except for its size and style.
type Chart struct {
	Title      string
	Caption    string   // for screen readers and search engines
	Keys       []Key    // the legend, above the panels
	Scale      *Scale   // the colour scale, beside the legend; nil for none
	Notes      []string // under the panels
	Panels     []Panel
	Columns    int  // number of columns of panels
	Narrow     int  // number of columns in a narrow picture; 0 for Columns
	Shared     bool // panels in a column share the x axis
	SharedY    bool // panels in a row share the label of the y axis
	SharedRows bool // panels in a row share the texts of the y axis' ticks
}

// mapTexts returns a copy of the chart with each text replaced by f(text).
func (c Chart) mapTexts(f func(string) string) Chart {
	c.Keys, c.Notes, c.Panels = slices.Clone(c.Keys), slices.Clone(c.Notes), slices.Clone(c.Panels)
	texts := []*string{&c.Title}
	for i := range c.Keys {
		texts = append(texts, &c.Keys[i].Text)
	}
	for i := range c.Notes {
		texts = append(texts, &c.Notes[i])
	}
	if c.Scale != nil {
		c.Scale = new(*c.Scale)
		texts = append(texts, &c.Scale.Label)
	}
	for i := range c.Panels {
		texts = append(texts, &c.Panels[i].Title)
		for _, a := range []*Axis{&c.Panels[i].X, &c.Panels[i].Y} {
			texts, a.Ticks = append(texts, &a.Label), slices.Clone(a.Ticks)
			for j := range a.Ticks {
				texts = append(texts, &a.Ticks[j].Text)
			}
		}
	}
	for _, text := range texts {
		*text = f(*text)
	}
	return c
}

// Panel is one coordinate system.
type Panel struct {
	Title  string
	X, Y   Axis
	Marks  []Mark
	Aspect float64 // height of the data area divided by its width
	Height float64 // minimum height of the data area, in points
	Fixed  bool    // the panel may be lower than others
	Beside []Words // columns to the right of the data area
}

// Words is a column of words at heights of a panel's y axis, under a mark if it has one.
type Words struct {
	At    []Tick
	Glyph Glyph
	Ink   Ink
}

// wordsWidth returns the width of the columns of words beside the data area.
func (p Panel) wordsWidth() (width float64) {
	for _, w := range p.Beside {
		width += w.width()
	}
	return width
}

// width returns the width of the column with the gap before it.
func (w Words) width() float64 { return gap + widest(w.At) }

// Key is an entry of the legend.
type Key struct {
	Text  string
	Ink   Ink
	Dash  Dash
	Glyph Glyph
	Box   bool // an area, not a line
	Bare  bool // only the glyph, no line
}

// Scale is a colour scale: the legend of colours that stand for numbers.
type Scale struct {
	Label     string
	Low, High string                  // the numbers at its ends
	Ink       func(share float64) Ink // the colour at a position from 0 (low) to 1 (high)
	Mark      *ScaleMark              // nil for none
}

// ScaleMark is a line across a scale.
type ScaleMark struct {
	At   float64 // position from 0 (low) to 1 (high)
	Text string  // to the right of the scale
}

// DivergingScale returns a scale from −largest to largest.
func DivergingScale(label string, largest float64) *Scale {
	return &Scale{
		Label: label, Low: palette.Short(-largest), High: palette.Short(largest),
		Ink: func(share float64) Ink { return DivergingInk(2*share - 1) },
	}
}
