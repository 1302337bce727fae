package tracker

import "encoding/binary"

// join is the inverse of [splitter.split]: it fills the record, of the length that
// it has, with what the parts tell, or returns [errStored] where they tell none.
func join(record, noise, terse []byte) error {
	head, table := record[:len(record)%wordSize], record[len(record)%wordSize:]
	in := terseReader{terse}
	clear(head)
	copy(head, in.take(uint64(len(head))))
	j := joiner{table: table, n: len(table) / wordSize, noise: noise}
	stretches := terseReader{in.take(in.number())}
	j.changes = terseReader{in.take(in.number())}
	j.tops, j.quiet = in.rest, j.changes.pause()
	for j.i < j.n {
		fresh, alike, back := uint64(j.n-j.i), uint64(0), uint64(0)
		if len(stretches.rest) > 0 {
			fresh, alike, back = stretches.number(), stretches.number(), stretches.number()
		}
		if fresh|alike == 0 || !j.fresh(fresh) || !j.alike(alike, back) {
			return errStored
		}
	}
	if len(stretches.rest)+len(j.changes.rest)+len(j.tops)+len(j.noise) > 0 {
		return errStored
	}
	return nil
}

// joiner is a table under way.
type joiner struct {
	table       []byte
	i, n        int    // words that are told, and all
	noise, tops []byte // of the new words to come
	changes     terseReader
	quiet       int64 // like words before the next change
}

// fresh adds so many new words, if there are.
func (j *joiner) fresh(count uint64) bool {
	if count > uint64(j.n-j.i) || count > uint64(len(j.tops)/2) || count > uint64(len(j.noise)/noiseSize) {
		return false
	}
	for range count {
		x := uint64(binary.LittleEndian.Uint16(j.tops)) << (8 * noiseSize)
		x |= uint64(binary.LittleEndian.Uint32(j.noise)) | uint64(binary.LittleEndian.Uint16(j.noise[4:]))<<32
		binary.LittleEndian.PutUint64(j.table[j.i*wordSize:], x)
		j.noise, j.tops, j.i = j.noise[noiseSize:], j.tops[2:], j.i+1
	}
	return true
}

// alike adds so many words like those that far back, if they can be.
func (j *joiner) alike(count, back uint64) bool {
	if count > uint64(j.n-j.i) || count > 0 && (back == 0 || back > uint64(j.i)) {
		return false
	}
	for left := int(count); left > 0; {
		if same := int(min(int64(left), j.quiet)); same > 0 {
			j.repeat(same, int(back))
			left, j.quiet = left-same, j.quiet-int64(same)
			continue
		}
		x := word(j.table, j.i-int(back))
		x = x&^(1<<lowBits-1) | uint64(uint16(x)+uint16(j.changes.signed()))
		binary.LittleEndian.PutUint64(j.table[j.i*wordSize:], x)
		j.quiet = j.changes.pause()
		left, j.i = left-1, j.i+1
	}
	return true
}

// repeat adds so many words that are those so far back, which may reach into what is
// added: then that has a period, of which ever more is there to be copied.
func (j *joiner) repeat(count, back int) {
	from, to, end := (j.i-back)*wordSize, j.i*wordSize, (j.i+count)*wordSize
	for to < end {
		to += copy(j.table[to:end], j.table[from:to])
	}
	j.i += count
}

// terseReader reads what it can. What is cut off or malformed reads as 0 or
// nothing, which fits nothing.
type terseReader struct{ rest []byte }

func (r *terseReader) take(n uint64) []byte {
	n = min(n, uint64(len(r.rest)))
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *terseReader) number() uint64 {
	x, n := binary.Uvarint(r.rest)
	r.rest = r.rest[max(n, 0):]
	return x
}

func (r *terseReader) signed() int64 {
	x, n := binary.Varint(r.rest)
	r.rest = r.rest[max(n, 0):]
	return x
}

// pause is how many like words come before the next change, more than there are
// where none comes.
func (r *terseReader) pause() int64 {
	if len(r.rest) == 0 {
		return 1 << 62
	}
	return int64(r.number() & (1<<62 - 1))
}
