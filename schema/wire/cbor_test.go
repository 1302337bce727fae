package wire

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestList: a list whose bytes are too few for the elements that it claims is refused without allocating them;
// others are read.
func TestList(t *testing.T) {
	type element struct {
		Seed uint64 `cbor:"seed"`
		Name string `cbor:"name"`
	}
	type holder struct {
		List List[element] `cbor:"list"`
	}
	encoded, err := Marshal(holder{List[element]{{Seed: 1}, {Seed: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	var h holder
	if err := Unmarshal(encoded, &h); err != nil || len(h.List) != 2 || h.List[1].Seed != 2 {
		t.Fatalf("%v: %+v", err, h)
	}
	const n = 1 << 20
	for _, item := range []byte{0xa0, 0x80, 0xf6, 0x00} { // an empty map, an empty array, null, 0
		claim := append([]byte{0xa1, 0x64, 'l', 'i', 's', 't', 0x9a, 0, n >> 16, 0, 0}, bytes.Repeat([]byte{item}, n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Unmarshal(claim, new(holder))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTruncated) ||
			taken > n {
			t.Errorf("item %x: %v with %d bytes", item, err, taken)
		}
	}
}

// TestCBORLimits: items of the largest size are decoded, and larger ones are refused.
func TestCBORLimits(t *testing.T) {
	decoded := func(v any) func(data []byte, err error) error {
		return func(data []byte, err error) error {
			if err == nil {
				err = Unmarshal(data, v)
			}
			return err
		}
	}
	list := func(n int) error { return decoded(new([]bool))(Marshal(make([]bool, n))) }
	pairs := func(n int) error {
		m := map[string]bool{}
		for i := range n {
			m[fmt.Sprint(i)] = true
		}
		return decoded(new(map[string]bool))(Marshal(m))
	}
	nested := func(n int) error {
		var v any = []any{}
		for range n - 1 {
			v = []any{v}
		}
		return decoded(new(any))(Marshal(v))
	}
	for _, c := range []struct {
		name, says string // what the error says
		at, beyond error
	}{
		{"elements of CBOR", "elements 4194304", list(1 << 22), list(1<<22 + 1)},
		{"pairs of CBOR", "pairs 1024", pairs(1 << 10), pairs(1<<10 + 1)},
		{"nested CBOR", "level 8", nested(8), nested(9)},
	} {
		if c.at != nil || c.beyond == nil || !strings.Contains(c.beyond.Error(), c.says) {
			t.Errorf("%s: at the limit %v, one beyond %v, want %q", c.name, c.at, c.beyond, c.says)
		}
	}
}
