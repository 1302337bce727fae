package pages

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// edited changes single bytes of a file, each told by three bytes of place and
// one of value, and makes its meta pages valid again.
func edited(base, edits []byte) []byte {
	b := bytes.Clone(base)
	for ; len(edits) >= 4; edits = edits[4:] {
		at := int(binary.BigEndian.Uint32(edits) >> 8)
		b[at%len(b)] = edits[3]
	}
	sign(b)
	return b
}

func seeds(f *testing.F) []byte {
	f.Add([]byte{})
	f.Add([]byte{0, 4*3 + 0, 8, 1, 0, 8, 24, 9})
	f.Add([]byte{0, 0, 32, 200, 0, 4, 32, 200})
	return little(f)
}

// FuzzWalk: whatever is in a file, a walk and lookups end, and say damage.
func FuzzWalk(f *testing.F) {
	base := seeds(f)
	f.Fuzz(func(t *testing.T, edits []byte) { survive(t, edits, edited(base, edits)) })
}

// FuzzScan: whatever a file is, looking at its pages ends.
func FuzzScan(f *testing.F) {
	f.Add(little(f))
	f.Add([]byte("notes"))
	f.Fuzz(func(t *testing.T, b []byte) { survive(t, len(b), b) })
}
