package chart

import (
	"encoding/binary"
	"slices"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
)

// fontSubset is a TrueType font with those glyphs of [sans] that a picture's text needs, without hinting.
type fontSubset struct {
	runes    []rune          // ascending
	numbers  map[rune]uint16 // from 1 on; glyph 0 stands for runes that the font lacks
	advances []uint16        // by number, in units of the font
	file     []byte
}

// newFontSubset returns the font with the glyphs of texts.
func newFontSubset(texts []string) *fontSubset {
	s := &fontSubset{numbers: map[rune]uint16{}}
	for _, text := range texts {
		s.runes = append(s.runes, []rune(text)...)
	}
	slices.Sort(s.runes)
	s.runes = slices.Compact(s.runes)

	source := newGlyphSource(liberationsansregular.TTF)
	chosen := []uint16{0} // of the source, by number in the subset
	for _, r := range s.runes {
		if index := glyphOf(r); index > 0 {
			s.numbers[r] = uint16(len(chosen))
			chosen = append(chosen, uint16(index))
		}
	}
	s.file = s.build(source, chosen)
	return s
}

// build returns the font's file. Parts of composite glyphs come after the glyphs of runes.
func (f *fontSubset) build(source glyphSource, chosen []uint16) []byte {
	var glyf, loca, hmtx []byte
	for i := 0; i < len(chosen); i++ { // which grows by parts
		outline := source.glyph(chosen[i], func(part uint16) uint16 {
			if at := slices.Index(chosen, part); at >= 0 {
				return uint16(at)
			}
			chosen = append(chosen, part)
			return uint16(len(chosen) - 1)
		})
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		for glyf = append(glyf, outline...); len(glyf)%4 > 0; {
			glyf = append(glyf, 0)
		}
		horizontal := source["hmtx"][4*int(chosen[i]):][:4] // advance width, and left side bearing
		f.advances = append(f.advances, binary.BigEndian.Uint16(horizontal))
		hmtx = append(hmtx, horizontal...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))

	head := slices.Clone(source["head"])
	binary.BigEndian.PutUint16(head[50:], 1) // loca has 32 bits
	hhea := slices.Clone(source["hhea"])
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(chosen)))
	maxp := slices.Clone(source["maxp"])
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(chosen)))
	clear(maxp[14:28]) // no instructions, and what they would need
	binary.BigEndian.PutUint16(maxp[14:], 1)
	post := append([]byte{0, 3, 0, 0}, source["post"][4:32]...) // without names of glyphs
	return fontFile(map[string][]byte{
		"OS/2": source["OS/2"], "cmap": f.cmap(), "glyf": glyf, "head": head, "hhea": hhea, "hmtx": hmtx,
		"loca": loca, "maxp": maxp, "name": {0, 0, 0, 0, 0, 6}, "post": post,
	})
}

// cmap returns the table from runes to glyphs, in format 4 with a segment for each rune. No glyph of the font
// is beyond its 16 bits.
func (f *fontSubset) cmap() []byte {
	var ends, starts, deltas []uint16
	for _, r := range f.runes {
		if number, has := f.numbers[r]; has && r < 0xffff {
			ends, starts, deltas = append(ends, uint16(r)), append(starts, uint16(r)), append(deltas, number-uint16(r))
		}
	}
	ends, starts, deltas = append(ends, 0xffff), append(starts, 0xffff), append(deltas, 1)
	n := uint16(len(ends))
	words := []uint16{
		0, 1, // version, one subtable
		3, 1, 0, 12, // of Unicode's first plane, 12 bytes on
		4, 16 + 8*n, 0, // format 4, its length, any language
		2 * n,
	}
	words = slices.Concat(words, searchRange(n, 2), ends, []uint16{0}, starts, deltas, make([]uint16, n))
	var table []byte
	for _, w := range words {
		table = binary.BigEndian.AppendUint16(table, w)
	}
	return table
}
