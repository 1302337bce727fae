package chart

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// glyphSource has the tables of a TrueType font by their tags. It is the font of the program, so that its structure is
// not checked: offsets of glyphs have 32 bits, each glyph has a width of its own, and no part of a composite glyph is
// scaled.
type glyphSource map[string][]byte

func newGlyphSource(file []byte) glyphSource {
	tables := glyphSource{}
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		entry := file[12+16*i:]
		offset, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		tables[string(entry[:4])] = file[offset : offset+length]
	}
	return tables
}

// Flags of the parts of composite glyphs.
const (
	wordArguments   = 1 << 0
	moreParts       = 1 << 5
	hasInstructions = 1 << 8
)

// glyph returns a glyph's outline without instructions, and with the parts' numbers that renumber returns.
func (g glyphSource) glyph(index uint16, renumber func(uint16) uint16) []byte {
	place := g["loca"][4*int(index):]
	outline := g["glyf"][binary.BigEndian.Uint32(place):binary.BigEndian.Uint32(place[4:])]
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
	for flags := uint16(moreParts); flags&moreParts != 0; {
		flags = binary.BigEndian.Uint16(made[at:])
		binary.BigEndian.PutUint16(made[at:], flags&^hasInstructions)
		binary.BigEndian.PutUint16(made[at+2:], renumber(binary.BigEndian.Uint16(made[at+2:])))
		if at += 6; flags&wordArguments != 0 {
			at += 2
		}
	}
	return made[:at]
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
