package chart

import (
	"bytes"
	"image"
	"image/color"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// TestPieces draws lines of many points, whole and in pieces, solid and dashed: no pixel is blank in one picture and
// full in the other, and nearly all are the same.
func TestPieces(t *testing.T) {
	var zigzag vg.Path
	for i := range 300 {
		at := vg.Point{X: vg.Length(10 + i), Y: vg.Length(20 + i%7*9)}
		if i == 0 {
			zigzag.Move(at)
		} else {
			zigzag.Line(at)
		}
	}
	for name, dashes := range map[string][]vg.Length{"solid": nil, "dashed": {9, 5}} {
		draw := func(c vg.Canvas) {
			c.SetColor(color.Black)
			c.SetLineWidth(2)
			c.SetLineDash(dashes, 3)
			c.Stroke(zigzag)
		}
		newCanvas := func() *vgimg.Canvas { return vgimg.NewWith(vgimg.UseWH(320, 100), vgimg.UseDPI(72)) }
		whole, pieces := newCanvas(), newCanvas()
		draw(whole)
		draw(&rasterCanvas{Canvas: pieces})
		a, b := whole.Image().(*image.RGBA).Pix, pieces.Image().(*image.RGBA).Pix
		differ, ink := 0, 0
		for i := 0; i < len(a); i += 4 {
			if a[i] != 255 {
				ink++
			}
			if a[i] == b[i] {
				continue
			}
			if differ++; a[i] == 0 && b[i] == 255 || a[i] == 255 && b[i] == 0 {
				t.Errorf("%s: pixel %d is %d in the line and %d in its pieces", name, i/4, a[i], b[i])
			}
		}
		if ink < 3000 || differ > ink/25 {
			t.Errorf("%s: %d of %d pixels differ", name, differ, ink)
		}
	}
	short, unchanged := vgimg.New(320, 100), vgimg.New(320, 100)
	for _, c := range []vg.Canvas{short, &rasterCanvas{Canvas: unchanged}} {
		c.Stroke(zigzag[:pieceLength+1])
	}
	if !bytes.Equal(short.Image().(*image.RGBA).Pix, unchanged.Image().(*image.RGBA).Pix) {
		t.Error("a short line is drawn in another way")
	}
}
