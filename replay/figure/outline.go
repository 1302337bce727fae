package figure

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlineCanvas draws text as shapes. vgpdf can embed a font, but writes text in code page 1252,
// which has no σ, κ or −, creates the font in a temporary folder, and panics if it cannot.
type outlineCanvas struct{ vg.Canvas }

// FillString implements [vg.Canvas].
func (c outlineCanvas) FillString(face plotfont.Face, at vg.Point, line string) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	scale := float64(face.Font.Size) / float64(em)
	x, before := 0, sfnt.GlyphIndex(0)
	for _, r := range line {
		index, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if kern, err := face.Face.Kern(&buf, before, index, em, font.HintingNone); before != 0 && err == nil {
			x += int(kern)
		}
		if segments, err := face.Face.LoadGlyph(&buf, index, em, nil); err == nil && len(segments) > 0 {
			c.Fill(outline(segments, at, float64(x), scale))
		}
		if advance, err := face.Face.GlyphAdvance(&buf, index, em, font.HintingNone); err == nil {
			x += int(advance)
		}
		before = index
	}
}

// outline returns a glyph's shape at its position. Fonts count y downwards.
func outline(segments sfnt.Segments, at vg.Point, x, scale float64) vg.Path {
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length((x+float64(p.X))*scale), Y: at.Y - vg.Length(float64(p.Y)*scale)}
	}
	var path vg.Path
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo: // as the cubic that is the same: PDF has no other
			control, end := place(s.Args[0]), place(s.Args[1])
			path.CubeTo(twoThirds(path[len(path)-1].Pos, control), twoThirds(end, control), end)
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	path.Close()
	return path
}

// twoThirds returns the point two thirds of the way.
func twoThirds(from, to vg.Point) vg.Point { return from.Add(to.Sub(from).Scale(2. / 3)) }
