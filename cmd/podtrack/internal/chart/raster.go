package chart

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

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

func writePNG(w io.Writer, l *Layout) error {
	canvas := &rasterCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(l.Width), vg.Length(l.Height)),
		vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(l.theme().Ground))}
	l.Draw(canvas)
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas.Canvas}).WriteTo(&b); err != nil {
		return err
	}
	caption := pngChunk("iTXt", []byte(pngDescription+l.Caption))
	for _, part := range [][]byte{b.Bytes()[:headerEnd], pixelDensityChunk(), caption, b.Bytes()[headerEnd:]} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// headerEnd is where a PNG's signature and its first chunk, IHDR, end.
const headerEnd = 8 + 4 + 4 + 13 + 4

// pixelDensityChunk returns the chunk that holds the intended size of the picture: pHYs of the PNG
// specification, section 11.3.4.3, in pixels per metre.
func pixelDensityChunk() []byte {
	perMetre := uint32(math.Round(dpi / 0.0254))
	data := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMetre), perMetre)
	return pngChunk("pHYs", append(data, 1)) // the unit is the metre
}
