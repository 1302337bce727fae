package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// rasterise draws the layout as pixels.
func (l *Layout) rasterise() *vgimg.Canvas {
	width, height := vg.Length(l.Width), vg.Length(l.Height)
	canvas := &rasterCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi),
		vgimg.UseBackgroundColor(l.theme().Ground))}
	l.Draw(draw.NewCanvas(canvas, width, height))
	return canvas.Canvas
}

// rasterCanvas is a canvas of pixels that draws long lines in pieces. The rasteriser keeps what a line touches of a row
// of pixels in a list that it searches from the start, so its time grows with the square of a line's points.
type rasterCanvas struct {
	*vgimg.Canvas
	dashes []vg.Length
	offset vg.Length
}

// pieceLength is the number of segments of a piece.
const pieceLength = 64

// SetLineDash implements [vg.Canvas].
func (r *rasterCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	r.dashes, r.offset = dashes, offset
	r.Canvas.SetLineDash(dashes, offset)
}

// Stroke implements [vg.Canvas]. The last segment of a piece is the first of the next one, which thus draws the join
// between them.
func (r *rasterCanvas) Stroke(p vg.Path) {
	if len(p) <= pieceLength+1 || !isPolyline(p) {
		r.Canvas.Stroke(p)
		return
	}
	defer r.Canvas.SetLineDash(r.dashes, r.offset)
	along := r.offset
	for first := 0; first+1 < len(p); first += pieceLength - 1 {
		end := min(first+pieceLength+1, len(p))
		piece := append(vg.Path{{Type: vg.MoveComp, Pos: p[first].Pos}}, p[first+1:end]...)
		r.Canvas.SetLineDash(r.dashes, along)
		r.Canvas.Stroke(piece)
		if end == len(p) {
			return
		}
		along += lengthOf(piece[:pieceLength])
	}
}

// isPolyline reports whether a path is one line of straight segments.
func isPolyline(p vg.Path) bool {
	return len(p) > 0 && p[0].Type == vg.MoveComp &&
		!slices.ContainsFunc(p[1:], func(c vg.PathComp) bool { return c.Type != vg.LineComp })
}

// lengthOf returns the length of a line of straight segments.
func lengthOf(p vg.Path) (sum vg.Length) {
	for i := 1; i < len(p); i++ {
		x, y := p[i].Pos.X-p[i-1].Pos.X, p[i].Pos.Y-p[i-1].Pos.Y
		sum += vg.Length(math.Hypot(float64(x), float64(y)))
	}
	return sum
}
