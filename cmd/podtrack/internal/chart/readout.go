package chart

import (
	"encoding/json"
	"math"
)

// readout is what a picture shows at a place, as text. The page tells it under the pointer and by the arrow keys, and
// lists it in the table behind the picture.
type readout struct {
	left, bottom, width, height float64 // in points; a point of a series has no size
	text                        string
	refs                        []string // what to open there: nothing, an option, or two things to compare
}

// MaxReadouts bounds the readouts of a picture. Marks beyond it are drawn without them.
const MaxReadouts = 20_000

// Readouts is a mark that draws nothing: it holds the texts of other marks, at points or in the cells around them.
type Readouts struct {
	points []Point
	texts  []string   // one each
	refs   [][]string // likewise
	Half   float64    // of the side of a cell; 0 for points
}

// Add adds a place with its text, and the references of what is to be opened there.
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

// CellReadouts returns the readouts of a matrix of [Cells], none if they are too many.
func CellReadouts(rows, columns int, text func(row, column int) (string, []string)) Readouts {
	m := Readouts{Half: 0.5}
	if rows*columns > MaxReadouts {
		return m
	}
	for y := range rows {
		for x := range columns {
			words, refs := text(y, x)
			m.Add(float64(x), -float64(y), words, refs...)
		}
	}
	return m
}

// encodeReadouts returns the readouts of a picture of that height as JSON without characters of markup: for each the
// left, the top, the width, the height, the text, and the references.
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
		panic(err) // numbers of a picture are finite
	}
	return encoded
}
