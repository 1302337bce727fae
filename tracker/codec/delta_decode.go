package codec

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed reports that a stored form is none that [Codec.Pack] makes.
var ErrMalformed = errors.New("stored form is malformed")

// deltaDecode inverts [deltaEncoder.encode]. It fills the record, whose length is known, from the
// two parts, or returns [ErrMalformed].
func deltaDecode(record, mantissas, control []byte) error {
	head, table := record[:len(record)%wordSize], record[len(record)%wordSize:]
	in := controlReader{control}
	clear(head)
	copy(head, in.readBytes(uint64(len(head))))
	j := deltaDecoder{table: table, n: len(table) / wordSize, mantissas: mantissas}
	segments := controlReader{in.readBytes(in.readUvarint())}
	j.changes = controlReader{in.readBytes(in.readUvarint())}
	j.highBits, j.unchanged = in.rest, j.changes.readUnchanged()
	for j.i < j.n {
		newWords, similar, back := uint64(j.n-j.i), uint64(0), uint64(0)
		if len(segments.rest) > 0 {
			newWords, similar, back = segments.readUvarint(), segments.readUvarint(), segments.readUvarint()
		}
		if newWords|similar == 0 || !j.readNew(newWords) || !j.readSimilar(similar, back) {
			return ErrMalformed
		}
	}
	if len(segments.rest)+len(j.changes.rest)+len(j.highBits)+len(j.mantissas) > 0 {
		return ErrMalformed
	}
	return nil
}

// deltaDecoder is the state of decoding a record.
type deltaDecoder struct {
	table               []byte
	i, n                int    // words decoded so far, and all
	mantissas, highBits []byte // of the new words that follow
	changes             controlReader
	unchanged           int64 // similar words before the next change
}

// readNew appends count new words. It reports whether there are so many.
func (j *deltaDecoder) readNew(count uint64) bool {
	if count > uint64(j.n-j.i) || count > uint64(len(j.highBits)/2) || count > uint64(len(j.mantissas)/mantissaSize) {
		return false
	}
	for range count {
		x := uint64(binary.LittleEndian.Uint16(j.highBits)) << (8 * mantissaSize)
		x |= uint64(binary.LittleEndian.Uint32(j.mantissas)) | uint64(binary.LittleEndian.Uint16(j.mantissas[4:]))<<32
		binary.LittleEndian.PutUint64(j.table[j.i*wordSize:], x)
		j.mantissas, j.highBits, j.i = j.mantissas[mantissaSize:], j.highBits[2:], j.i+1
	}
	return true
}

// readSimilar appends count words that are similar to those back words before. It reports whether
// that is possible.
func (j *deltaDecoder) readSimilar(count, back uint64) bool {
	if count > uint64(j.n-j.i) || count > 0 && (back == 0 || back > uint64(j.i)) {
		return false
	}
	for left := int(count); left > 0; {
		if same := int(min(int64(left), j.unchanged)); same > 0 {
			j.copyWords(same, int(back))
			left, j.unchanged = left-same, j.unchanged-int64(same)
			continue
		}
		x := wordAt(j.table, j.i-int(back))
		x = x&^(1<<lowBits-1) | uint64(uint16(x)+uint16(j.changes.readVarint()))
		binary.LittleEndian.PutUint64(j.table[j.i*wordSize:], x)
		j.unchanged = j.changes.readUnchanged()
		left, j.i = left-1, j.i+1
	}
	return true
}

// copyWords appends count words equal to those back words before. The source may overlap the words
// that are appended: then these repeat with a period of back words.
func (j *deltaDecoder) copyWords(count, back int) {
	from, to, end := (j.i-back)*wordSize, j.i*wordSize, (j.i+count)*wordSize
	for to < end {
		to += copy(j.table[to:end], j.table[from:to])
	}
	j.i += count
}

// controlReader reads the control part. Truncated or malformed input reads as 0 or as nothing,
// which never decodes.
type controlReader struct{ rest []byte }

func (r *controlReader) readBytes(n uint64) []byte {
	n = min(n, uint64(len(r.rest)))
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *controlReader) readUvarint() uint64 {
	x, n := binary.Uvarint(r.rest)
	r.rest = r.rest[max(n, 0):]
	return x
}

func (r *controlReader) readVarint() int64 {
	x, n := binary.Varint(r.rest)
	r.rest = r.rest[max(n, 0):]
	return x
}

// readUnchanged returns the number of similar words before the next change, or a number larger than
// any if there is none.
func (r *controlReader) readUnchanged() int64 {
	if len(r.rest) == 0 {
		return 1 << 62
	}
	return int64(r.readUvarint() & (1<<62 - 1))
}
