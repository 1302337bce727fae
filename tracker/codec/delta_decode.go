package codec

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed means that [Codec.Pack] never makes such a stored form.
var ErrMalformed = errors.New("stored form is malformed")

// deltaDecode inverts [deltaEncoder.encode]. It fills the record, whose length is known, from the
// two parts, or returns [ErrMalformed].
func deltaDecode(record, mantissas, control []byte) error {
	head, table := record[:len(record)%wordSize], record[len(record)%wordSize:]
	in := controlReader{all: control}
	clear(head)
	copy(head, in.readBytes(uint64(len(head))))
	j := deltaDecoder{table: table, n: len(table) / wordSize, mantissas: mantissas}
	segments := controlReader{all: in.readBytes(in.readUvarint())}
	j.changes = controlReader{all: in.readBytes(in.readUvarint())}
	j.highBits, j.unchanged = in.rest(), j.changes.readUnchanged()
	for j.i < j.n {
		newWords, similar, back := uint64(j.n-j.i), uint64(0), uint64(0)
		if len(segments.rest()) > 0 {
			newWords, similar, back = segments.readUvarint(), segments.readUvarint(), segments.readUvarint()
		}
		if newWords|similar == 0 || !j.readNew(newWords) || !j.readSimilar(similar, back) {
			return ErrMalformed
		}
	}
	if len(segments.rest())+len(j.changes.rest())+len(j.highBits)+len(j.mantissas) > 0 {
		return ErrMalformed
	}
	return nil
}

type deltaDecoder struct {
	table               []byte
	i, n                int    // words decoded so far, and all
	mantissas, highBits []byte // of the new words that follow
	changes             controlReader
	unchanged           int64 // similar words before the next change
}

// readNew appends count new words. It reports false if fewer are left.
func (d *deltaDecoder) readNew(count uint64) bool {
	if count > uint64(d.n-d.i) || count > uint64(len(d.highBits)/2) || count > uint64(len(d.mantissas)/mantissaSize) {
		return false
	}
	table, mantissas, highBits := d.table[d.i*wordSize:], d.mantissas, d.highBits
	for range count {
		x := uint64(binary.LittleEndian.Uint16(highBits)) << (8 * mantissaSize)
		x |= uint64(binary.LittleEndian.Uint32(mantissas)) | uint64(binary.LittleEndian.Uint16(mantissas[4:]))<<32
		binary.LittleEndian.PutUint64(table, x)
		table, mantissas, highBits = table[wordSize:], mantissas[mantissaSize:], highBits[2:]
	}
	d.mantissas, d.highBits, d.i = mantissas, highBits, d.i+int(count)
	return true
}

// readSimilar appends count words that are similar to those back words before. It reports false if there are no
// such words.
func (d *deltaDecoder) readSimilar(count, back uint64) bool {
	if count > uint64(d.n-d.i) || count > 0 && (back == 0 || back > uint64(d.i)) {
		return false
	}
	for left := int(count); left > 0; {
		if same := int(min(int64(left), d.unchanged)); same > 0 {
			d.copyWords(same, int(back))
			left, d.unchanged = left-same, d.unchanged-int64(same)
			continue
		}
		x := wordAt(d.table, d.i-int(back))
		x = x&^(1<<lowBits-1) | uint64(uint16(x)+uint16(d.changes.readVarint()))
		binary.LittleEndian.PutUint64(d.table[d.i*wordSize:], x)
		d.unchanged = d.changes.readUnchanged()
		left, d.i = left-1, d.i+1
	}
	return true
}

// copyWords appends count words equal to those back words before. The source may overlap the words
// that are appended: then these repeat with a period of back words.
func (d *deltaDecoder) copyWords(count, back int) {
	from, to, end := (d.i-back)*wordSize, d.i*wordSize, (d.i+count)*wordSize
	for to < end {
		to += copy(d.table[to:end], d.table[from:to])
	}
	d.i += count
}

// A controlReader reads the control part. Truncated or malformed input reads as 0 or as nothing, which never decodes to
// a whole record. It counts the bytes that it has read, since the collector slows down each change of a pointer.
type controlReader struct {
	all []byte
	at  int
}

func (c *controlReader) rest() []byte { return c.all[c.at:] }

func (c *controlReader) readBytes(n uint64) []byte {
	part := c.rest()
	part = part[:min(n, uint64(len(part)))]
	c.at += len(part)
	return part
}

func (c *controlReader) readUvarint() uint64 {
	x, n := binary.Uvarint(c.rest())
	c.at += max(n, 0)
	return x
}

func (c *controlReader) readVarint() int64 {
	x, n := binary.Varint(c.rest())
	c.at += max(n, 0)
	return x
}

// readUnchanged returns the number of similar words before the next change, or a huge number if no change follows.
func (c *controlReader) readUnchanged() int64 {
	if len(c.rest()) == 0 {
		return 1 << 62
	}
	return int64(c.readUvarint() & (1<<62 - 1))
}
