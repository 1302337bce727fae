package chart

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// glyphSource is a TrueType font from which glyphs are taken. It is part of the program, so that its
// structure is not checked.
type glyphSource struct {
	tables map[string][]byte
	long   bool // offsets of glyphs have 32 bits
	wide   int  // glyphs with a width of their own
}

func newGlyphSource(file []byte) glyphSource {
	s := glyphSource{tables: map[string][]byte{}}
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		entry := file[12+16*i:]
		offset, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		s.tables[string(entry[:4])] = file[offset : offset+length]
	}
	s.long = binary.BigEndian.Uint16(s.tables["head"][50:]) == 1
	s.wide = int(binary.BigEndian.Uint16(s.tables["hhea"][34:]))
	return s
}

// metrics returns the font's sizes.
func (g glyphSource) metrics() fontMetrics {
	of := func(table string, at int) int { return int(int16(binary.BigEndian.Uint16(g.tables[table][at:]))) }
	m := fontMetrics{unitsPerEm: of("head", 18), ascent: of("hhea", 4), descent: of("hhea", 6), capitals: of("OS/2", 88)}
	for i := range m.box {
		m.box[i] = of("head", 36+2*i)
	}
	return m
}

// horizontal returns a glyph's advance width and the bytes of its left side bearing.
func (g glyphSource) horizontal(glyph uint16) (advance uint16, bearing []byte) {
	hmtx, i := g.tables["hmtx"], int(glyph)
	last := min(i, g.wide-1)
	at := 4*last + 2
	if i > last {
		at = 4*g.wide + 2*(i-g.wide)
	}
	return binary.BigEndian.Uint16(hmtx[4*last:]), hmtx[at : at+2]
}

// Flags of the parts of composite glyphs.
const (
	wordArguments   = 1 << 0
	hasScale        = 1 << 3
	moreParts       = 1 << 5
	hasTwoScales    = 1 << 6
	hasMatrix       = 1 << 7
	hasInstructions = 1 << 8
)

// glyph returns a glyph's outline without instructions, and with the parts' numbers that renumber returns.
func (g glyphSource) glyph(index uint16, renumber func(uint16) uint16) []byte {
	outline := g.outline(index)
	if len(outline) == 0 {
		return nil
	}
	contours := int(int16(binary.BigEndian.Uint16(outline)))
	if contours >= 0 {
		at := 10 + 2*contours
		instructions := int(binary.BigEndian.Uint16(outline[at:]))
		return slices.Concat(outline[:at], []byte{0, 0}, outline[at+2+instructions:])
	}
	made, at := slices.Clone(outline), 10
	for {
		flags := binary.BigEndian.Uint16(made[at:])
		binary.BigEndian.PutUint16(made[at:], flags&^hasInstructions)
		binary.BigEndian.PutUint16(made[at+2:], renumber(binary.BigEndian.Uint16(made[at+2:])))
		at += 6
		if flags&wordArguments != 0 {
			at += 2
		}
		switch {
		case flags&hasScale != 0:
			at += 2
		case flags&hasTwoScales != 0:
			at += 4
		case flags&hasMatrix != 0:
			at += 8
		}
		if flags&moreParts == 0 {
			return made[:at]
		}
	}
}

// outline returns a glyph's entry in the table of outlines.
func (g glyphSource) outline(index uint16) []byte {
	loca, i := g.tables["loca"], int(index)
	if g.long {
		return g.tables["glyf"][binary.BigEndian.Uint32(loca[4*i:]):binary.BigEndian.Uint32(loca[4*i+4:])]
	}
	return g.tables["glyf"][2*int(binary.BigEndian.Uint16(loca[2*i:])) : 2*int(binary.BigEndian.Uint16(loca[2*i+2:]))]
}

// fontFile returns a font of tables by their tags, in the order of these.
func fontFile(tables map[string][]byte) []byte {
	n := uint16(len(tables))
	file := binary.BigEndian.AppendUint16([]byte{0, 1, 0, 0}, n)
	for _, w := range searchRange(n, 16) {
		file = binary.BigEndian.AppendUint16(file, w)
	}
	var body []byte
	adjustment := 0 // place of head's checksum of the whole file
	for _, tag := range slices.Sorted(maps.Keys(tables)) {
		data := slices.Clone(tables[tag])
		at := 12 + 16*len(tables) + len(body)
		if tag == "head" {
			adjustment = at + 8
			clear(data[8:12])
		}
		file = append(file, tag...)
		file = binary.BigEndian.AppendUint32(file, checksum(data))
		file = binary.BigEndian.AppendUint32(file, uint32(at))
		file = binary.BigEndian.AppendUint32(file, uint32(len(data)))
		for body = append(body, data...); len(body)%4 > 0; {
			body = append(body, 0)
		}
	}
	file = append(file, body...)
	binary.BigEndian.PutUint32(file[adjustment:], 0xb1b0afba-checksum(file))
	return file
}

// searchRange returns what a reader needs to search n entries of a size by halves: the size of those up to the largest
// power of two, its exponent, and the size of the rest.
func searchRange(n, size uint16) []uint16 {
	exponent := bits.Len16(n) - 1
	power := uint16(1) << exponent
	return []uint16{size * power, uint16(exponent), size * (n - power)}
}

// checksum returns the sum of 32-bit words, the last one filled up with zeros.
func checksum(data []byte) (sum uint32) {
	for len(data) > 0 {
		var word [4]byte
		data = data[copy(word[:], data):]
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}
