package pages

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// edited changes single bytes of a file, each given by three bytes of offset and one of value.
func edited(base, edits []byte) []byte {
	b := bytes.Clone(base)
	for ; len(edits) >= 4; edits = edits[4:] {
		at := int(binary.BigEndian.Uint32(edits) >> 8)
		b[at%len(b)] = edits[3]
	}
	return b
}

// FuzzTraverse: whatever a file with valid meta pages contains, a traversal and lookups end, and
// report damage.
func FuzzTraverse(f *testing.F) {
	base := little(f)
	f.Add([]byte{})
	f.Add([]byte{0, 4*3 + 0, 8, 1, 0, 8, 24, 9})
	f.Add([]byte{0, 0, 32, 200, 0, 4, 32, 200})
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := edited(base, edits)
		fixChecksums(b)
		readEveryWay(t, edits, b)
	})
}

// FuzzScan: whatever a file contains and wherever it ends, scanning its pages ends.
func FuzzScan(f *testing.F) {
	base := little(f)
	f.Add([]byte{0, 0, 16, 0}, uint32(0))
	f.Add([]byte{0, 4, 8, 255, 0, 8, 24, 1}, uint32(3000))
	f.Fuzz(func(t *testing.T, edits []byte, cut uint32) {
		b := edited(base, edits)
		readEveryWay(t, edits, b[int(cut)%len(b):])
	})
}
