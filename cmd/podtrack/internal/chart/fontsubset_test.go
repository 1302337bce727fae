package chart

import (
	"encoding/binary"
	"slices"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"pgregory.net/rapid"
)

// TestFontSubset: what is embedded is a font that draws the same letters with the same widths, those that are
// composed of others too, and has no other letters.
func TestFontSubset(t *testing.T) {
	letters := []rune("aéZÅ−σκΣ…1/2½ﬁ\u00a0“ӝ’'")
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOfDistinct(rapid.OneOf(rapid.SampledFrom(letters), rapid.RuneFrom(letters), rapid.Rune()),
			rapid.ID[rune]).Draw(t, "runes")
		subset := newFontSubset([]string{string(runes)})
		got, err := sfnt.Parse(subset.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range append(runes, 'x', 'ξ') {
			var buf sfnt.Buffer
			em := fixed.Int26_6(sansFont().UnitsPerEm())
			want, err := sansFont().GlyphIndex(&buf, r)
			if err != nil || want == 0 || !slices.Contains(runes, r) {
				want = 0
			}
			index, err := got.GlyphIndex(&buf, r)
			if err != nil || (index == 0) != (want == 0) || uint16(index) != subset.numbers[r] {
				t.Fatalf("%q is glyph %d, of the whole font %d: %v", r, index, want, err)
			}
			a, errA := sansFont().GlyphAdvance(&buf, want, em, font.HintingNone)
			b, errB := got.GlyphAdvance(&buf, index, em, font.HintingNone)
			if a != b || errA != nil || errB != nil || subset.advances[index] != uint16(a) {
				t.Errorf("%q is %v wide, want %v: %v, %v", r, b, a, errA, errB)
			}
			outline, err := sansFont().LoadGlyph(&buf, want, em, nil)
			if err != nil {
				t.Fatal(err)
			}
			outline = slices.Clone(outline)
			drawn, err := got.LoadGlyph(&buf, index, em, nil)
			if err != nil || !slices.Equal(drawn, outline) {
				t.Errorf("%q is drawn differently: %v", r, err)
			}
		}
	})
}

// TestGlyphSource: the font has the structure that is not checked.
func TestGlyphSource(t *testing.T) {
	source := newGlyphSource(liberationsansregular.TTF)
	word := func(table string, at int) uint16 { return binary.BigEndian.Uint16(source[table][at:]) }
	if glyphs := word("maxp", 4); word("head", 50) != 1 || word("hhea", 34) != glyphs {
		t.Errorf("offsets of kind %d, %d widths of %d glyphs", word("head", 50), word("hhea", 34), glyphs)
	}
	for index := range word("maxp", 4) {
		place := source["loca"][4*int(index):]
		outline := source["glyf"][binary.BigEndian.Uint32(place):binary.BigEndian.Uint32(place[4:])]
		if len(outline) == 0 || outline[0] < 0x80 {
			continue
		}
		const scaled = 1<<3 | 1<<6 | 1<<7
		for at, flags := 10, uint16(moreParts); flags&moreParts != 0; {
			if flags = binary.BigEndian.Uint16(outline[at:]); flags&scaled != 0 {
				t.Fatalf("a part of glyph %d is scaled: flags %x", index, flags)
			}
			if at += 6; flags&wordArguments != 0 {
				at += 2
			}
		}
	}
}
