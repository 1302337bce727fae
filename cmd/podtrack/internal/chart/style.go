package chart

import (
	"cmp"

	"github.com/podtrack/podtrack/schema"
)

// Style describes how a figure looks.
type Style struct {
	Width  float64 // in points
	Height float64 // in points; 0 for a height that depends on the figure
	DPI    int     // of a PNG; 0 for [DPI]
	Theme  string  // one of [Themes]
	Title  bool

	Readouts bool // whether an SVG holds, as metadata, the text of each mark at its place
}

// Pixels per inch of a PNG.
const (
	DPI    = 300
	MinDPI = 36
	MaxDPI = 1200
)

// Columns returns the number of pixel columns of a picture, the resolution at which long series
// are read.
func (s Style) Columns() int {
	const most = 3000
	return min(int(s.Width/72*float64(s.dpi())), most)
}

func (s Style) dpi() int { return cmp.Or(s.DPI, DPI) }

// Limits of a picture's width and height, in points.
const (
	MinWidth  = 1.5 * 72
	MaxWidth  = 20 * 72
	MinHeight = 0.75 * 72
	MaxHeight = 30 * 72
)

// Advice for pictures whose size does not suit what they show.
const (
	AdviceFewerPixels schema.Advice = "give a lower resolution, or make an SVG or a PDF, which have no pixels"
	AdviceHigher      schema.Advice = "give a greater height, or no title; a wider picture needs fewer lines of text"
	AdviceLower       schema.Advice = "give a height, draw less at once, or write the numbers as CSV"
	AdviceWider       schema.Advice = "give a greater width"
)
