package schema

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
)

// TestList: a list of structs takes no memory for elements that its bytes cannot be, and reads the others.
func TestList(t *testing.T) {
	type holder struct {
		List List[Spec] `cbor:"list"`
	}
	encoded, err := Marshal(holder{List[Spec]{{Seed: 1}, {Seed: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	var h holder
	if err := Unmarshal(encoded, &h); err != nil || len(h.List) != 2 || h.List[1].Seed != 2 {
		t.Fatalf("%v: %+v", err, h)
	}
	const n = 1 << 20
	for _, element := range []byte{0xa0, 0x80, 0xf6, 0x00} { // an empty map, an empty array, null, 0
		claim := append([]byte{0xa1, 0x64, 'l', 'i', 's', 't', 0x9a, 0, n >> 16, 0, 0}, bytes.Repeat([]byte{element}, n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Unmarshal(claim, new(holder))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTruncated) ||
			taken > n {
			t.Errorf("element %x: %v with %d bytes", element, err, taken)
		}
	}
}
