package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas writes the content of a page. gonum's vgpdf writes text in code page 1252, which has no σ, κ
// or −, creates fonts in a temporary folder, and panics if it cannot.
type pdfCanvas struct {
	content bytes.Buffer
	font    *fontSubset
	opaque  map[uint8]bool // opacities that are used
}

var _ vg.Canvas = (*pdfCanvas)(nil)

func newPDFCanvas(font *fontSubset) *pdfCanvas {
	c := &pdfCanvas{font: font, opaque: map[uint8]bool{}}
	c.content.WriteString("4 M\n") // the limit of mitred joins that an SVG has
	vg.Initialize(c)
	return c
}

// put writes numbers, rounded like [point], and an operator.
func (p *pdfCanvas) put(operator string, numbers ...float64) {
	for _, x := range numbers {
		p.content.WriteString(pdfNumber(x) + " ")
	}
	p.content.WriteString(operator + "\n")
}

// pdfNumber returns a number with at most four digits after the point.
func pdfNumber(x float64) string {
	text := strings.TrimRight(strconv.FormatFloat(x, 'f', 4, 64), "0")
	if text = strings.TrimSuffix(text, "."); text == "-0" {
		return "0"
	}
	return text
}

// SetLineWidth implements [vg.Canvas].
func (p *pdfCanvas) SetLineWidth(width vg.Length) { p.put("w", width.Points()) }

// SetLineDash implements [vg.Canvas].
func (p *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p.content.WriteString("[ ")
	for _, length := range pattern {
		p.content.WriteString(pdfNumber(length.Points()) + " ")
	}
	p.content.WriteString("] ")
	p.put("d", offset.Points())
}

// SetColor implements [vg.Canvas].
func (p *pdfCanvas) SetColor(of color.Color) {
	if of == nil {
		of = color.Black
	}
	rgb := color.NRGBAModel.Convert(of).(color.NRGBA)
	share := func(x uint8) float64 { return float64(x) / 255 }
	p.put("rg", share(rgb.R), share(rgb.G), share(rgb.B))
	p.put("RG", share(rgb.R), share(rgb.G), share(rgb.B))
	p.opaque[rgb.A] = true
	fmt.Fprintf(&p.content, "%s gs\n", opacityName(rgb.A))
}

// opacityName returns the name of a graphics state with an opacity.
func opacityName(opacity uint8) string { return fmt.Sprintf("/A%d", opacity) }

// opacities returns the opacities that are used.
func (p *pdfCanvas) opacities() []uint8 { return slices.Sorted(maps.Keys(p.opaque)) }

// Rotate implements [vg.Canvas].
func (p *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.put("cm", cos, sin, -sin, cos, 0, 0)
}

// Translate implements [vg.Canvas].
func (p *pdfCanvas) Translate(by vg.Point) { p.put("cm", 1, 0, 0, 1, by.X.Points(), by.Y.Points()) }

// Scale implements [vg.Canvas].
func (p *pdfCanvas) Scale(x, y float64) { p.put("cm", x, 0, 0, y, 0, 0) }

// Push implements [vg.Canvas].
func (p *pdfCanvas) Push() { p.put("q") }

// Pop implements [vg.Canvas].
func (p *pdfCanvas) Pop() { p.put("Q") }

// Stroke implements [vg.Canvas].
func (p *pdfCanvas) Stroke(path vg.Path) {
	p.path(path)
	p.put("S")
}

// Fill implements [vg.Canvas].
func (p *pdfCanvas) Fill(path vg.Path) {
	p.path(path)
	p.put("f")
}

func (p *pdfCanvas) path(path vg.Path) {
	for _, part := range path {
		at := []float64{part.Pos.X.Points(), part.Pos.Y.Points()}
		switch part.Type {
		case vg.MoveComp:
			p.put("m", at...)
		case vg.LineComp:
			p.put("l", at...)
		case vg.ArcComp:
			p.arc(part)
		case vg.CurveComp: // the figures have cubic ones alone
			first, second := part.Control[0], part.Control[len(part.Control)-1]
			p.put("c", append([]float64{first.X.Points(), first.Y.Points(), second.X.Points(), second.Y.Points()}, at...)...)
		case vg.CloseComp:
			p.put("h")
		}
	}
}

// arc writes an arc that begins where the path is, as cubic curves of at most a quarter of a circle.
func (p *pdfCanvas) arc(of vg.PathComp) {
	parts := math.Ceil(math.Abs(of.Angle) / (math.Pi / 2))
	turn, radius := of.Angle/parts, of.Radius.Points()
	reach := 4. / 3 * math.Tan(turn/4)
	x, y := of.Pos.X.Points(), of.Pos.Y.Points()
	for i := range int(parts) {
		sin, cos := math.Sincos(of.Start + float64(i)*turn)
		sin2, cos2 := math.Sincos(of.Start + float64(i+1)*turn)
		p.put("c", x+radius*(cos-reach*sin), y+radius*(sin+reach*cos), x+radius*(cos2+reach*sin2),
			y+radius*(sin2-reach*cos2), x+radius*cos2, y+radius*sin2)
	}
}

// FillString implements [vg.Canvas]. It writes text as glyphs of the embedded font, kerned as it was
// measured.
func (p *pdfCanvas) FillString(face plotfont.Face, at vg.Point, line string) {
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	fmt.Fprintf(&p.content, "BT /F %s Tf ", pdfNumber(face.Font.Size.Points()))
	fmt.Fprintf(&p.content, "%s %s Td [<", pdfNumber(at.X.Points()), pdfNumber(at.Y.Points()))
	before := sfnt.GlyphIndex(0)
	for _, r := range line {
		index := glyphOf(r)
		if kern, err := face.Face.Kern(&buf, before, index, em, font.HintingNone); err == nil && kern != 0 && before != 0 {
			fmt.Fprintf(&p.content, "> %s <", pdfNumber(-1000*float64(kern)/float64(em)))
		}
		fmt.Fprintf(&p.content, "%04x", p.font.numbers[r])
		before = index
	}
	p.content.WriteString(">] TJ ET\n")
}

// DrawImage implements [vg.Canvas]. Figures have none.
func (p *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("a figure with an image") }
