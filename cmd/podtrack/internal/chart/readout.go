package chart

import (
	"encoding/json"
	"math"
)

// readout is the text for a place in a picture. The page shows it when the pointer or the arrow keys are at the place,
// and in the picture's table.
type readout struct {
	left, bottom, width, height float64 // in points; the size is 0 for a data point
	text                        string
	refs                        []string // what the page opens from here: nothing, an option, or two things to compare
}

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

func (r Readouts) draw(p pen) {
	if p.readouts == nil || len(*p.readouts)+len(r.points) > MaxReadouts {
		return
	}
	for i, at := range r.points {
		low, high := p.at(at.X-r.Half, at.Y-r.Half), p.at(at.X+r.Half, at.Y+r.Half)
		*p.readouts = append(*p.readouts, readout{
			float64(low.X), float64(low.Y), float64(high.X - low.X), float64(high.Y - low.Y), r.texts[i], r.refs[i],
		})
	}
}

// encodeReadouts returns the readouts of a picture of the given height as JSON that can be embedded in markup. Each is
// an array of its left, top, width, height, text, and references.
func encodeReadouts(all []readout, height float64) []byte {
	rows := make([][]any, len(all))
	round := func(x float64) float64 { return math.Round(10*x) / 10 }
	for i, r := range all {
		rows[i] = []any{round(r.left), round(height - r.bottom - r.height), round(r.width), round(r.height), r.text}
		for _, ref := range r.refs {
			rows[i] = append(rows[i], ref)
		}
	}
	encoded, err := json.Marshal(rows)
	if err != nil {
		panic(err) // cannot happen: all numbers are finite
	}
	return encoded
}
