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
type splitter struct {
	noise []byte // the low six bytes of each new word
	terse []byte // all else: see [splitter.join]

	stretches []byte // of new words, of like words, and how far back those are: varints
	changes   []byte // of low bits: how many like words before it have none, and the change as a signed varint
	tops      []byte // the two high bytes of each new word
	same      int    // like words since the last change
	seen      []uint32
}

const (
	wordSize  = 8
	lowBits   = 16
	noiseSize = 6
)

// split fills w with the record's parts, and says whether most words were like
// others: else it is not worth the while.
func (w *splitter) split(record []byte) (worth bool) {
	head, table := record[:len(record)%wordSize], record[len(record)%wordSize:]
	n := len(table) / wordSize
	w.noise, w.tops, w.stretches, w.changes = w.noise[:0], w.tops[:0], w.stretches[:0], w.changes[:0]
	shift := w.forget(n)
	fresh := 0
	w.same = 0
	for i := 0; i < n; {
		back := w.back(table, i, n, shift)
		if back == 0 {
			w.fresh(word(table, i))
			fresh++
			i++
			continue
		}
		alike := w.alike(table, i, n, back)
		w.stretches = binary.AppendUvarint(w.stretches, uint64(fresh))
		w.stretches = binary.AppendUvarint(w.stretches, uint64(alike))
		w.stretches = binary.AppendUvarint(w.stretches, uint64(back))
		fresh = 0
		i += alike
	}
	w.join(head)
	return len(w.noise)/noiseSize < n/2
}

// back is how far before words i and i + 1 two like them were seen, 0 for nowhere.
func (w *splitter) back(table []byte, i, n, shift int) (back int) {
	if i+1 == n {
		return 0
	}
	slot := &w.seen[pairHash(word(table, i), word(table, i+1))>>shift]
	if at := int(*slot) - 1; at >= 0 && like(table, at, i) && like(table, at+1, i+1) {
		back = i - at
	}
	*slot = uint32(i + 1)
	return back
}

// alike is how many words from i on are like those that far back. Their changes
// are told.
func (w *splitter) alike(table []byte, i, n, back int) int {
	first := i
	for ; i < n && like(table, i-back, i); i++ {
		change := int16(word(table, i) - word(table, i-back))
		if change == 0 {
			w.same++
			continue
		}
		w.changes = binary.AppendUvarint(w.changes, uint64(w.same))
		w.changes = binary.AppendVarint(w.changes, int64(change))
		w.same = 0
	}
	return i - first
}

// fresh adds a new word.
func (w *splitter) fresh(x uint64) {
	w.noise = append(w.noise, byte(x), byte(x>>8), byte(x>>16), byte(x>>24), byte(x>>32), byte(x>>40))
	w.tops = append(w.tops, byte(x>>48), byte(x>>56))
}

// join writes what is not noise: the record's first bytes, as many as are no word,
// the length of the stretches and they, that of the changes and they, and the tops.
func (w *splitter) join(head []byte) {
	w.terse = append(w.terse[:0], head...)
	for _, part := range [][]byte{w.stretches, w.changes} {
		w.terse = binary.AppendUvarint(w.terse, uint64(len(part)))
		w.terse = append(w.terse, part...)
	}
	w.terse = append(w.terse, w.tops...)
}

// forget makes room to remember about n places, and returns by how much a hash is
// to be shifted for it.
func (w *splitter) forget(n int) (shift int) {
	log := min(max(bits.Len(uint(n)), 6), 16) - 1
	w.seen = slices.Grow(w.seen[:0], 1<<log)[:1<<log]
	clear(w.seen)
	return 64 - log
}

func word(table []byte, i int) uint64 { return binary.LittleEndian.Uint64(table[i*wordSize:]) }

// like says whether two words differ in the low bits alone.
func like(table []byte, i, j int) bool { return (word(table, i)^word(table, j))>>lowBits == 0 }

// pairHash is of two words without their low bits.
func pairHash(a, b uint64) uint64 {
	return (a>>lowBits)*0x9e3779b97f4a7c15 ^ (b>>lowBits)*0xc2b2ae3d27d4eb4f
}
