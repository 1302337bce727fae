package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"unicode/utf8"
)

// A CBORReader reads canonical CBOR item by item, for lists of thousands of small rows:
// without reflection, and without encoding again what it has read. Input that is
// unexpected, or that [Marshal] would not write, makes it fail; the caller then uses
// [Unmarshal], which returns the error or reads what this reader does not support.
//
// It reads a list of 60 records in 1/11 of the time of [Unmarshal], which uses fxamacker/cbor, with
// 1 allocation instead of 64.
type CBORReader struct {
	rest   []byte
	failed bool
}

// NewCBORReader returns a reader of data, which must not change meanwhile.
func NewCBORReader(data []byte) CBORReader { return CBORReader{rest: data} }

// Complete reports whether everything was read without failure.
func (r *CBORReader) Complete() bool { return !r.failed && len(r.rest) == 0 }

// readHead returns the argument of the next item, which must be of the given major type
// and have the shortest form of its number.
func (r *CBORReader) readHead(major byte) uint64 {
	if r.failed || len(r.rest) == 0 || r.rest[0]>>5 != major {
		r.failed = true
		return 0
	}
	info := r.rest[0] & 31
	if info < 24 {
		r.rest = r.rest[1:]
		return uint64(info)
	}
	size := 1 << (info - 24) // of the number that follows, in bytes
	if info > 27 || len(r.rest) <= size {
		r.failed = true
		return 0
	}
	var wide [8]byte
	copy(wide[8-size:], r.rest[1:])
	n := binary.BigEndian.Uint64(wide[:])
	r.rest = r.rest[1+size:]
	r.failed = size == 1 && n < 24 || size > 1 && n>>(4*size) == 0
	return n
}

// take returns the next n bytes.
func (r *CBORReader) take(n uint64) []byte {
	if r.failed || n > uint64(len(r.rest)) {
		r.failed = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// ReadMap reads the head of a map of n fields.
func (r *CBORReader) ReadMap(n int) { r.expect(r.readHead(majorMap) == uint64(n)) }

// ReadKey reads the key of the next field, which must be name.
func (r *CBORReader) ReadKey(name string) { r.expect(string(r.take(r.readHead(majorText))) == name) }

// ReadArray reads the head of an array and returns its length, which must be at most n.
func (r *CBORReader) ReadArray(n int) int {
	of := r.readHead(majorArray)
	r.expect(of <= uint64(n))
	if r.failed {
		return 0
	}
	return int(of)
}

// Rest returns the bytes that are still to be read.
func (r *CBORReader) Rest() []byte { return r.rest }

// Skip passes over n bytes, which the caller has read.
func (r *CBORReader) Skip(n int) { r.take(uint64(n)) }

// Failed reports whether something failed.
func (r *CBORReader) Failed() bool { return r.failed }

// Fail makes the reader fail: what was read is not what the caller expected.
func (r *CBORReader) Fail() { r.failed = true }

// ReadEmptyArray reads an empty array.
func (r *CBORReader) ReadEmptyArray() { r.expect(r.readHead(majorArray) == 0) }

// ReadNull reads null.
func (r *CBORReader) ReadNull() {
	b := r.take(1)
	r.expect(len(b) == 1 && b[0] == null)
}

// ReadUint reads an unsigned integer.
func (r *CBORReader) ReadUint() uint64 { return r.readHead(majorUint) }

// ReadInt64 reads an integer.
func (r *CBORReader) ReadInt64() int64 {
	if len(r.rest) > 0 && r.rest[0]>>5 == majorNint {
		return ^r.readInt63(r.readHead(majorNint))
	}
	return r.readInt63(r.readHead(majorUint))
}

// ReadInt reads an integer that fits an int.
func (r *CBORReader) ReadInt() int {
	n := r.ReadInt64()
	r.expect(int64(int(n)) == n)
	return int(n)
}

func (r *CBORReader) readInt63(n uint64) int64 {
	r.expect(n>>63 == 0)
	return int64(n)
}

// ReadText reads a text string and returns a copy of it.
func (r *CBORReader) ReadText() string {
	b := r.take(r.readHead(majorText))
	r.expect(utf8.Valid(b))
	return string(b)
}

// ReadWord reads a text that is one of the words.
func ReadWord[T ~string](r *CBORReader, words []T) T {
	b := r.take(r.readHead(majorText))
	for _, word := range words {
		if string(word) == string(b) {
			return word
		}
	}
	r.failed = true
	return ""
}

// ReadDigest reads the byte string of a SHA-256.
func (r *CBORReader) ReadDigest() (d [sha256.Size]byte) {
	b := r.take(r.readHead(majorBytes))
	r.expect(len(b) == len(d))
	copy(d[:], b)
	return d
}

func (r *CBORReader) expect(ok bool) { r.failed = r.failed || !ok }
