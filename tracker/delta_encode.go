package tracker

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A table of floats repeats itself nearly: long stretches come again in which each
// number is the same but for the last bits, where rounding went another way. So
// the words of a record, 8 bytes each, counted from its end, are told by stretches:
// of new words, and of words that are like those some way back, the low 16 bits aside.
//
// splitter has the parts into which a record is split so. Of a new word the low six
// bytes are noise, which nothing makes smaller.
type deltaEncoder struct {
	mantissas []byte // the low six bytes of each new word
	control   []byte // all else: see [deltaEncoder.assemble]

	segments  []byte // of new words, of like words, and how far back those are: varints
	changes   []byte // of low bits: how many like words before it have none, and the change as a signed varint
	highBits  []byte // the two high bytes of each new word
	unchanged int    // like words since the last change
	positions []uint32
}

const (
	wordSize     = 8
	lowBits      = 16
	mantissaSize = 6
)

// encode fills w with the record's parts, and says whether most words were like
// others: else it is not worth the while.
func (w *deltaEncoder) encode(record []byte) (worth bool) {
	head, table := record[:len(record)%wordSize], record[len(record)%wordSize:]
	n := len(table) / wordSize
	w.mantissas, w.highBits, w.segments, w.changes = w.mantissas[:0], w.highBits[:0], w.segments[:0], w.changes[:0]
	shift := w.reset(n)
	fresh := 0
	w.unchanged = 0
	for i := 0; i < n; {
		back := w.findSimilar(table, i, n, shift)
		if back == 0 {
			w.appendNew(word(table, i))
			fresh++
			i++
			continue
		}
		alike := w.appendSimilar(table, i, n, back)
		w.segments = binary.AppendUvarint(w.segments, uint64(fresh))
		w.segments = binary.AppendUvarint(w.segments, uint64(alike))
		w.segments = binary.AppendUvarint(w.segments, uint64(back))
		fresh = 0
		i += alike
	}
	w.assemble(head)
	return len(w.mantissas)/mantissaSize < n/2
}

// findSimilar is how far before words i and i + 1 two like them were seen, 0 for nowhere.
func (w *deltaEncoder) findSimilar(table []byte, i, n, shift int) (back int) {
	if i+1 == n {
		return 0
	}
	slot := &w.positions[pairHash(word(table, i), word(table, i+1))>>shift]
	if at := int(*slot) - 1; at >= 0 && areSimilar(table, at, i) && areSimilar(table, at+1, i+1) {
		back = i - at
	}
	*slot = uint32(i + 1)
	return back
}

// appendSimilar is how many words from i on are like those that far back. Their changes
// are told.
func (w *deltaEncoder) appendSimilar(table []byte, i, n, back int) int {
	first := i
	for ; i < n && areSimilar(table, i-back, i); i++ {
		change := int16(word(table, i) - word(table, i-back))
		if change == 0 {
			w.unchanged++
			continue
		}
		w.changes = binary.AppendUvarint(w.changes, uint64(w.unchanged))
		w.changes = binary.AppendVarint(w.changes, int64(change))
		w.unchanged = 0
	}
	return i - first
}

// appendNew adds a new word.
func (w *deltaEncoder) appendNew(x uint64) {
	w.mantissas = append(w.mantissas, byte(x), byte(x>>8), byte(x>>16), byte(x>>24), byte(x>>32), byte(x>>40))
	w.highBits = append(w.highBits, byte(x>>48), byte(x>>56))
}

// assemble writes what is not noise: the record's first bytes, as many as are no word,
// the length of the stretches and they, that of the changes and they, and the tops.
func (w *deltaEncoder) assemble(head []byte) {
	w.control = append(w.control[:0], head...)
	for _, part := range [][]byte{w.segments, w.changes} {
		w.control = binary.AppendUvarint(w.control, uint64(len(part)))
		w.control = append(w.control, part...)
	}
	w.control = append(w.control, w.highBits...)
}

// reset makes room to remember about n places, and returns by how much a hash is
// to be shifted for it.
func (w *deltaEncoder) reset(n int) (shift int) {
	log := min(max(bits.Len(uint(n)), 6), 16) - 1
	w.positions = slices.Grow(w.positions[:0], 1<<log)[:1<<log]
	clear(w.positions)
	return 64 - log
}

func word(table []byte, i int) uint64 { return binary.LittleEndian.Uint64(table[i*wordSize:]) }

// areSimilar says whether two words differ in the low bits alone.
func areSimilar(table []byte, i, j int) bool { return (word(table, i)^word(table, j))>>lowBits == 0 }

// pairHash is of two words without their low bits.
func pairHash(a, b uint64) uint64 {
	return (a>>lowBits)*0x9e3779b97f4a7c15 ^ (b>>lowBits)*0xc2b2ae3d27d4eb4f
}
