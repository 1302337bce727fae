package chart

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"time"
	"unicode/utf16"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// writePDF writes the picture as a document of one page whose text can be searched and copied. Its font is embedded, as
// journals and LaTeX want it. The same picture has the same bytes, so the document's date says nothing.
func writePDF(w io.Writer, l *Layout) error {
	page := fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: l.Width, Ht: l.Height}}
	c := pdfCanvas{Fpdf: fpdf.NewCustom(&page), height: l.Height}
	c.SetCatalogSort(true)
	c.SetCreationDate(time.Unix(0, 0).UTC())
	c.SetModificationDate(time.Unix(0, 0).UTC())
	c.SetProducer("podtrack", true)
	c.SetCreator("podtrack", true)
	c.SetLang("en")
	c.SetTitle(pdfText(l.name), false)
	c.SetSubject(pdfText(l.Caption), false)
	c.AddUTF8FontFromBytes(pdfFont, "", liberationsansregular.TTF)
	c.AddPage()
	c.RawWriteStr("4 M") // the limit of mitred joins that an SVG has
	vg.Initialize(c)
	l.Draw(c)
	var b bytes.Buffer
	if err := c.Output(&b); err != nil {
		return err
	}
	_, err := w.Write(tagFont(b.Bytes()))
	return err
}

// pdfText returns a text as UTF-16 with a byte order mark. What fpdf makes of UTF-8 lacks letters beyond 16 bits.
func pdfText(text string) string {
	b := []byte("\xfe\xff")
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return string(b)
}

// pdfFont is the name by which fpdf knows the font: see [tagFont].
const pdfFont = "liberation-subset"

// tagFont returns a document in which the font has its own name behind six letters that tell its subset apart, as a PDF
// has to: programs that join documents may take fonts of one name for the same. The name is as long as the one before.
func tagFont(document []byte) []byte {
	sum := sha256.Sum256(document)
	for i := range sum {
		sum[i] = 'A' + sum[i]%26
	}
	return bytes.ReplaceAll(document, []byte("/utf8"+pdfFont), fmt.Appendf(nil, "/%s+LiberationSans", sum[:6]))
}

// pdfCanvas draws on a page of fpdf, of which y goes down from the page's height. gonum's vgpdf writes text in code
// page 1252, which has no σ, κ or −, creates fonts in a temporary folder, and panics if it cannot.
type pdfCanvas struct {
	*fpdf.Fpdf
	height float64
}

var _ vg.Canvas = pdfCanvas{}

// SetLineWidth implements [vg.Canvas].
func (p pdfCanvas) SetLineWidth(width vg.Length) { p.Fpdf.SetLineWidth(width.Points()) }

// SetLineDash implements [vg.Canvas].
func (p pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, length := range pattern {
		lengths[i] = length.Points()
	}
	p.SetDashPattern(lengths, offset.Points())
}

// SetColor implements [vg.Canvas].
func (p pdfCanvas) SetColor(of color.Color) {
	if of == nil {
		of = color.Black
	}
	c := color.NRGBAModel.Convert(of).(color.NRGBA)
	r, g, b := int(c.R), int(c.G), int(c.B)
	p.SetFillColor(r, g, b)
	p.SetDrawColor(r, g, b)
	p.SetTextColor(r, g, b)
	p.SetAlpha(float64(c.A)/255, "Normal")
}

// Rotate implements [vg.Canvas].
func (p pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	p.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

// Translate implements [vg.Canvas].
func (p pdfCanvas) Translate(by vg.Point) {
	p.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: by.X.Points(), F: by.Y.Points()})
}

// Scale implements [vg.Canvas].
func (p pdfCanvas) Scale(x, y float64) { p.Transform(fpdf.TransformMatrix{A: x, D: y}) }

// Push implements [vg.Canvas].
func (p pdfCanvas) Push() { p.TransformBegin() }

// Pop implements [vg.Canvas].
func (p pdfCanvas) Pop() { p.TransformEnd() }

// Stroke implements [vg.Canvas].
func (p pdfCanvas) Stroke(path vg.Path) { p.draw(path, "S") }

// Fill implements [vg.Canvas].
func (p pdfCanvas) Fill(path vg.Path) { p.draw(path, "f") }

// draw draws a path of lines and arcs. Figures have no other curves.
func (p pdfCanvas) draw(path vg.Path, operator string) {
	const degree = math.Pi / 180
	for _, part := range path {
		x, y, radius := part.Pos.X.Points(), p.height-part.Pos.Y.Points(), part.Radius.Points()
		switch part.Type {
		case vg.MoveComp:
			p.MoveTo(x, y)
		case vg.LineComp:
			p.LineTo(x, y)
		case vg.ArcComp:
			p.ArcTo(x, y, radius, radius, 0, part.Start/degree, (part.Start+part.Angle)/degree)
		case vg.CloseComp:
			p.ClosePath()
		}
	}
	p.DrawPath(operator)
}

// FillString implements [vg.Canvas]. fpdf does not kern, so a distance between letters makes the text as wide as it was
// measured.
func (p pdfCanvas) FillString(face plotfont.Face, at vg.Point, line string) {
	p.SetFont(pdfFont, "", face.Font.Size.Points())
	apart := (face.Width(line).Points() - p.GetStringWidth(line)) / float64(max(len([]rune(line)), 1))
	p.RawWriteStr(fmt.Sprintf("%.4f Tc", apart))
	p.Text(at.X.Points(), p.height-at.Y.Points(), line)
}

// DrawImage implements [vg.Canvas]. Figures have none.
func (p pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("a figure with an image") }
