package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCBORReaderFloats: a number is read only from its canonical form.
func TestCBORReaderFloats(t *testing.T) {
	read := func(item []byte) (float64, bool) {
		r := NewCBORReader(item)
		x := r.ReadFloat()
		return x, r.Complete()
	}
	check := func(x float64) error {
		item, err := Marshal(x)
		if err != nil {
			return nil // NaN or infinite
		}
		if got, ok := read(item); !ok || math.Float64bits(got) != math.Float64bits(x) {
			return fmt.Errorf("%x is read as %v, %v, and not as %v", item, got, ok, x)
		}
		var wide [9]byte
		wide[0] = 0xfb
		binary.BigEndian.PutUint64(wide[1:], math.Float64bits(x))
		if _, ok := read(wide[:]); ok != (len(item) == 9) {
			return fmt.Errorf("%v in eight bytes: %v", x, ok)
		}
		narrow := binary.BigEndian.AppendUint32([]byte{0xfa}, math.Float32bits(float32(x)))
		if got, ok := read(narrow); ok != (float64(float32(x)) == x && len(item) == 5) && got == x {
			return fmt.Errorf("%v in four bytes: %v", x, ok)
		}
		return nil
	}
	for b := range 1 << 16 {
		item := binary.BigEndian.AppendUint16([]byte{0xf9}, uint16(b))
		x, ok := read(item)
		var want float64
		if err := Unmarshal(item, &want); (err == nil) != ok || ok &&
			math.Float64bits(x) != math.Float64bits(want) {
			t.Fatalf("%x is read as %v, %v, and not as %v, %v", item, x, ok, want, err)
		}
		single := math.Float32frombits(uint32(b) << 16)
		if err := errors.Join(check(want), check(float64(single)),
			check(math.Float64frombits(uint64(b)<<48))); err != nil {
			t.Fatal(err)
		}
	}
	if err := check(0x1p-15 + 0x1p-25); err != nil { // a bit more than two bytes have
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if err := errors.Join(check(x), check(float64(float32(x)))); err != nil {
			t.Fatal(err)
		}
	})
}

// row has what [CBORReader] reads.
type row struct {
	A string   `cbor:"a"`
	B int64    `cbor:"b"`
	C uint64   `cbor:"c"`
	D [32]byte `cbor:"d"`
	E *int64   `cbor:"e"`
	F []string `cbor:"f"`
}

func (r *row) read(data []byte) bool {
	reader := NewCBORReader(data)
	reader.ReadMap(6)
	reader.ReadKey("a")
	r.A = reader.ReadText()
	reader.ReadKey("b")
	r.B = reader.ReadInt64()
	reader.ReadKey("c")
	r.C = reader.ReadUint()
	reader.ReadKey("d")
	r.D = reader.ReadDigest()
	reader.ReadKey("e")
	reader.ReadNull()
	reader.ReadKey("f")
	reader.ReadEmptyArray()
	return reader.Complete()
}

// TestCBORReader: canonical bytes are read as the values that were written; changed bytes are refused, or read
// as Unmarshal reads them.
func TestCBORReader(t *testing.T) {
	edges := rapid.SampledFrom([]uint64{0, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1,
		math.MaxInt64, math.MaxUint64})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(edges, rapid.Uint64()).Draw(t, "n")
		v := row{A: rapid.String().Draw(t, "a"), B: int64(n >> 1), C: n, F: []string{}}
		if rapid.Bool().Draw(t, "negative") {
			v.B = ^v.B
		}
		data, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got row
		if !got.read(data) || got.A != v.A || got.B != v.B || got.C != v.C || got.D != v.D {
			t.Fatalf("%+v, want %+v", got, v)
		}
		data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		data = data[:rapid.IntRange(len(data)-3, len(data)).Draw(t, "bytes")]
		var changed, want row
		if changed.read(data) {
			if err := Unmarshal(data, &want); err != nil || changed.A != want.A || changed.B != want.B ||
				changed.C != want.C || changed.D != want.D {
				t.Fatalf("%+v, want %+v: %v", changed, want, err)
			}
		}
	})
}
