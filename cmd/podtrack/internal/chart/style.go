package chart

import "github.com/podtrack/podtrack/schema"

// Style describes how a figure looks.
type Style struct {
	Width float64 // in points
	Theme string  // one of [Themes]
	Title bool

	Readouts bool // whether an SVG holds, as metadata, the text of each mark at its place
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

// Advice for pictures whose size does not suit what they show.
const (
	AdviceLower schema.Advice = "draw less at once, or write the numbers as CSV"
	AdviceWider schema.Advice = "give a greater width"
)
