package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// MaxReadouts is the largest number of readouts in a picture. Marks beyond it have none.
const MaxReadouts = 20_000

// Readouts is a mark that draws nothing. It holds the readouts of other marks, at points or in square cells centred on
// them.
type Readouts struct {
	points []Point
	texts  []string   // by point
	refs   [][]string // by point
	Half   float64    // half the side of a cell; 0 for points
}

// Add adds a readout at (x, y): its text, and references to what the page opens from there.
func (r *Readouts) Add(x, y float64, text string, refs ...string) {
	r.points, r.texts, r.refs = append(r.points, Point{x, y}), append(r.texts, text), append(r.refs, refs)
}

// draw adds the readouts to those of the picture, which the page shows when the pointer or the arrow keys are at the
// place, and in the picture's table. Each is an array of its left, top, width, height, text, and references.
func (r Readouts) draw(p pen) {
	if p.readouts == nil || len(*p.readouts)+len(r.points) > MaxReadouts {
		return
	}
	round := func(x vg.Length) float64 { return math.Round(10*x.Points()) / 10 }
	for i, at := range r.points {
		low, high := p.at(at.X-r.Half, at.Y-r.Half), p.at(at.X+r.Half, at.Y+r.Half)
		width, height := high.X-low.X, high.Y-low.Y // 0 of a data point
		row := []any{round(low.X), round(p.canvas.Max.Y - low.Y - height), round(width), round(height), r.texts[i]}
		for _, ref := range r.refs[i] { // what the page opens from here: nothing, an option, or two things to compare
			row = append(row, ref)
		}
		*p.readouts = append(*p.readouts, row)
	}
}
