package wire

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// TestBitPacker: eight numbers at once are packed as one by one, and unpacked again; a number at or above the
// limit is detected at any position.
func TestBitPacker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, 128).Draw(t, "limit")
		l := newBitPacker(PackedWidth(limit), limit)
		xs := rapid.SliceOfN(rapid.Uint8Range(0, uint8(limit-1)), 8, 8).Draw(t, "numbers")
		x, want := binary.LittleEndian.Uint64(xs), uint64(0)
		for i, n := range xs {
			want |= uint64(n) << (i * l.width)
		}
		if got := l.pack(x); got != want {
			t.Fatalf("packed %x, want %x", got, want)
		}
		noise := ^l.m8 & rapid.Uint64().Draw(t, "above")
		if got := l.unpack(want | noise); got != x || l.anyAtLimit(x) {
			t.Fatalf("unpacked %x, want %x; at the limit: %v", got, x, l.anyAtLimit(x))
		}
		xs[rapid.IntRange(0, 7).Draw(t, "which")] = uint8(rapid.Uint64Range(limit, 255).Draw(t, "too large"))
		if !l.anyAtLimit(binary.LittleEndian.Uint64(xs)) {
			t.Fatalf("%v: not seen that one is not under %d", xs, limit)
		}
	})
}
