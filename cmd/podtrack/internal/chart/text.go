package chart

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Sizes of text in points, as journals require them.
const (
	titleSize = 9
	labelSize = 8
	tickSize  = 7
	noteSize  = 7
)

// sansFont returns the font of all text. It is embedded in the program, at a cost of a few hundred
// kilobytes, so that pictures are the same on all machines.
var sansFont = sync.OnceValue(func() *sfnt.Font {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // cannot happen: the font is embedded
	}
	return face
})

// sans returns the font in the form that package plot draws with.
var sans = sync.OnceValue(func() *font.Cache {
	name := font.Font{Typeface: "Liberation", Variant: "Sans"}
	return font.NewCache(font.Collection{{Font: name, Face: sansFont()}})
})

// textStyle returns the style of left-aligned, vertically centred text of the given size and colour.
func textStyle(size float64, of Ink, t *theme) text.Style {
	return text.Style{
		Color:   of(t),
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
		XAlign:  text.XLeft,
		YAlign:  text.YCenter,
		Handler: text.Plain{Fonts: sans()},
	}
}

// widthOf returns the width of a line of text, in points.
func widthOf(line string, size float64) float64 {
	s := textStyle(size, Foreground, &palette.Palettes[0])
	return float64(s.Width(line))
}

// lineHeight returns the distance between two lines.
func lineHeight(size float64) float64 { return 1.25 * size }

// Printable returns s with invisible and control characters escaped. Unescaped, they could change the direction of the
// text or make two names look alike.
func Printable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "·"), string(unicode.ReplacementChar), "·")
	return escape(s, func(r rune) bool {
		return textfmt.IsHidden(r) || unicode.IsControl(r) || r >= 0xfffe && r <= 0xffff
	})
}

// drawable returns Printable(s) with every character that the font lacks escaped. If such characters were left out,
// different runs could appear under the same name.
func drawable(s string) string {
	return escape(Printable(s), func(r rune) bool { return glyphOf(r) == 0 })
}

// escape returns s with some of its characters escaped.
func escape(s string, isEscaped func(rune) bool) string {
	var b strings.Builder
	for _, r := range s {
		if isEscaped(r) {
			b.WriteString(EscapeLetter(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// EscapeLetter returns the Go escape sequence of a character, such as \u65e5 or \U0001f600.
func EscapeLetter(r rune) string { return strings.Trim(strconv.QuoteRuneToASCII(r), "'") }

// glyphOf returns the number of the font's glyph for r, 0 for none.
func glyphOf(r rune) sfnt.GlyphIndex {
	var buf sfnt.Buffer
	index, err := sansFont().GlyphIndex(&buf, r)
	if err != nil {
		return 0
	}
	return index
}

// Undrawn returns the characters of the chart's texts that the font lacks, each once. Pictures show them escaped.
func (c Chart) Undrawn() string {
	var letters []rune
	c.mapTexts(func(s string) string {
		for _, r := range Printable(s) {
			if glyphOf(r) == 0 && !slices.Contains(letters, r) {
				letters = append(letters, r)
			}
		}
		return s
	})
	return string(letters)
}

// shorten replaces the middle of a line that is wider than width by an ellipsis. It keeps the end
// because references often differ only there.
func shorten(line string, size, width float64) string {
	if widthOf(line, size) <= width {
		return line
	}
	runes := []rune(line)
	cut := func(n int) string { return string(runes[:n-n*2/5]) + "…" + string(runes[len(runes)-n*2/5:]) }
	n := sort.Search(len(runes), func(n int) bool { return widthOf(cut(n), size) > width })
	return cut(max(n-1, 0))
}

// wrap breaks text between words into lines of at most the given width. It shortens words that are wider.
func wrap(words string, size, width float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(words) {
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case widthOf(longer, size) <= width:
			line = longer
		default:
			lines, line = append(lines, shorten(line, size, width)), word
		}
	}
	if line != "" {
		lines = append(lines, shorten(line, size, width))
	}
	return lines
}
