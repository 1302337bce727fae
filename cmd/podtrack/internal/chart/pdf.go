package chart

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	imagefont "golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// writePDF writes the picture as a document of one page whose text can be searched and copied. Its font
// is embedded, as journals and LaTeX want it. It has no time in it: the same picture has the same bytes.
func writePDF(w io.Writer, l *Layout) error {
	font := newFontSubset(l.texts())
	canvas := newPDFCanvas(font)
	l.Draw(canvas)

	var d pdfDocument
	page, pages := d.reserve(), d.reserve()
	states := ""
	for _, opacity := range canvas.opacities() {
		states += fmt.Sprintf("%s << /ca %[2]s /CA %[2]s >> ", opacityName(opacity), pdfNumber(float64(opacity)/255))
	}
	content, err := d.stream("", canvas.content.Bytes())
	if err != nil {
		return err
	}
	typeface, err := d.font(font)
	if err != nil {
		return err
	}
	d.set(page, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R "+
		"/Resources << /Font << /F %d 0 R >> /ExtGState << %s>> >> /Group << /S /Transparency /CS /DeviceRGB >> >>",
		pages, pdfNumber(l.Width), pdfNumber(l.Height), content, typeface, states))
	d.set(pages, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	catalog := d.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Lang (en) "+
		"/ViewerPreferences << /DisplayDocTitle true >> >>", pages))
	info := d.add(fmt.Sprintf("<< /Title %s /Subject %s /Creator (podtrack) >>", pdfText(Printable(l.name)),
		pdfText(Printable(l.Caption))))
	return d.write(w, catalog, info)
}

// pdfDocument holds the objects of a document, by number from 1.
type pdfDocument struct{ objects []string }

// reserve returns the number of an object that is set later.
func (p *pdfDocument) reserve() int { return p.add("") }

func (p *pdfDocument) set(number int, object string) { p.objects[number-1] = object }

// add adds an object and returns its number.
func (p *pdfDocument) add(object string) int {
	p.objects = append(p.objects, object)
	return len(p.objects)
}

// stream adds a compressed stream with more entries in its dictionary.
func (p *pdfDocument) stream(entries string, data []byte) (int, error) {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		return 0, err
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	dictionary := fmt.Sprintf("<< /Length %d /Filter /FlateDecode %s>>", b.Len(), entries)
	return p.add(dictionary + "\nstream\n" + b.String() + "\nendstream"), nil
}

// font adds an embedded font whose codes are its glyphs' numbers, with the text that they stand for.
func (p *pdfDocument) font(font *fontSubset) (int, error) {
	file, err := p.stream(fmt.Sprintf("/Length1 %d ", len(font.file)), font.file)
	if err != nil {
		return 0, err
	}
	em := fixed.Int26_6(sansFont().UnitsPerEm())
	per1000 := func(units fixed.Int26_6) int { return int(units) * 1000 / int(em) }
	box, _ := sansFont().Bounds(nil, em, imagefont.HintingNone) // whose error is always nil, like the next one
	metrics, _ := sansFont().Metrics(nil, em, imagefont.HintingNone)
	name := "/" + font.tag() + "+LiberationSans"
	descriptor := p.add(fmt.Sprintf("<< /Type /FontDescriptor /FontName %s /Flags 4 "+
		"/FontBBox [%d %d %d %d] "+
		"/ItalicAngle 0 /Ascent %d /Descent %d /CapHeight %d /StemV 80 /FontFile2 %d 0 R >>",
		name, per1000(box.Min.X), per1000(-box.Max.Y), per1000(box.Max.X), per1000(-box.Min.Y),
		per1000(metrics.Ascent), per1000(-metrics.Descent), per1000(metrics.CapHeight), file))
	widths := textfmt.Map(font.advances,
		func(advance uint16) string { return pdfNumber(float64(advance) * 1000 / float64(em)) })
	glyphs := p.add(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont %s /CIDToGIDMap /Identity "+
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "+
		"/FontDescriptor %d 0 R /W [0 [%s]] >>",
		name, descriptor, strings.Join(widths, " ")))
	unicode, err := p.stream("", font.toUnicode())
	return p.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont %s /Encoding /Identity-H "+
		"/DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", name, glyphs, unicode)), err
}

// tag returns the six letters that tell subsets of a font apart.
func (f *fontSubset) tag() string {
	sum := sha256.Sum256([]byte(string(f.runes)))
	letters := sum[:6]
	for i := range letters {
		letters[i] = 'A' + letters[i]%26
	}
	return string(letters)
}

// toUnicode returns the map from glyphs to text.
func (f *fontSubset) toUnicode() []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n" +
		"1 begincodespacerange <0000> <ffff> endcodespacerange\n")
	for _, r := range f.runes {
		if number, has := f.numbers[r]; has {
			fmt.Fprintf(&b, "1 beginbfchar <%04x> <%s> endbfchar\n", number, utf16Hex(string(r)))
		}
	}
	b.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	return b.Bytes()
}

// utf16Hex returns a text's code units as hexadecimal digits.
func utf16Hex(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04x", unit)
	}
	return b.String()
}

// pdfText returns a text as an entry of a dictionary.
func pdfText(text string) string { return "<feff" + utf16Hex(text) + ">" }

// write writes the document.
func (p *pdfDocument) write(w io.Writer, catalog, info int) error {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n") // bytes beyond ASCII say that the file is binary
	var table strings.Builder
	for i, object := range p.objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%s", len(p.objects)+1, &table)
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(p.objects)+1, catalog, info, start)
	_, err := w.Write(b.Bytes())
	return err
}

// texts returns the lines of text of the picture.
func (l *Layout) texts() (lines []string) {
	var drawn recorder.Canvas
	l.Draw(&drawn)
	for _, action := range drawn.Actions {
		if of, isText := action.(*recorder.FillString); isText {
			lines = append(lines, of.String)
		}
	}
	return lines
}
