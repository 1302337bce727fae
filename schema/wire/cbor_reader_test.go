package wire

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

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
