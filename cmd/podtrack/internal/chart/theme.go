package chart

import (
	"image/color"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
)

// theme holds the colours of a picture.
type theme = palette.Palette

// Themes lists the themes of a [Style], the default first.
var Themes = []string{palette.Palettes[0].Theme, palette.Palettes[1].Theme}

// MaxSeries is how many series have their own colour.
const MaxSeries = palette.MaxSeries

// MaxKeys is how many series a legend tells apart, by colour and line.
const MaxKeys = 2 * MaxSeries

// Ink is a colour named by its meaning. Each theme has its own colour for it.
type Ink func(*theme) color.NRGBA

// Inks for everything but series.

func Background(t *theme) color.NRGBA { return t.Ground }
func Foreground(t *theme) color.NRGBA { return t.Text }
func Faint(t *theme) color.NRGBA      { return t.Faint }
func Pale(t *theme) color.NRGBA       { return WithOpacity(Faint, 0.5)(t) } // of lines that data cross
func gridline(t *theme) color.NRGBA   { return t.Grid }
func Neutral(t *theme) color.NRGBA    { return t.Neutral }

// SeriesInk returns the ink of the i-th series.
func SeriesInk(i int) Ink {
	return func(t *theme) color.NRGBA { return t.Series[i%len(t.Series)] }
}

// RampInk returns the ink of the sequential colour scale at a position from 0 to 1.
func RampInk(share float64) Ink {
	return func(t *theme) color.NRGBA {
		at := min(max(share, 0), 1) * float64(len(t.Ramp)-1)
		i := min(int(at), len(t.Ramp)-2)
		return mix(t.Ramp[i], t.Ramp[i+1], at-float64(i))
	}
}

// DivergingInk returns the ink of the diverging colour scale for x from −1 to 1.
func DivergingInk(x float64) Ink {
	return func(t *theme) color.NRGBA {
		if x < 0 {
			return mix(t.Ground, t.Minus(), min(-x, 1))
		}
		return mix(t.Ground, t.Plus(), min(x, 1))
	}
}

// WithOpacity returns a partly transparent ink.
func WithOpacity(of Ink, opacity float64) Ink {
	return func(t *theme) color.NRGBA {
		c := of(t)
		c.A = uint8(math.Round(255 * opacity))
		return c
	}
}

// mix returns the colour between a (share 0) and b (share 1).
func mix(a, b color.NRGBA, share float64) color.NRGBA {
	part := func(x, y uint8) uint8 {
		return uint8(math.Round(float64(float64(x)*(1-share)) + float64(float64(y)*share)))
	}
	return color.NRGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 0xff}
}

// Style describes how a figure looks.
type Style struct {
	Width float64 // in points
	Theme string  // one of [Themes]
	Title bool

	Command  string // that draws the picture, which files say beside the caption; "" for none
	Readouts bool   // whether an SVG shows the text of each mark under the pointer, of up to [MaxReadouts]
}

// dpi is how many pixels per inch a PNG has.
const dpi = 300

// Columns returns the number of pixel columns of a picture, the resolution at which long series
// are read.
func (s Style) Columns() int {
	const most = 3000
	return min(int(s.Width/72*dpi), most)
}

// Limits of a picture's width and height, in points. They bound the memory of a PNG to a few hundred megabytes.
const (
	MinWidth  = 1.5 * 72
	MaxWidth  = 20 * 72
	maxHeight = 30 * 72
)
