package schema_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestSpecCache: a spec that matches a template is read as decoding reads it, with the
// same ID, and any other is left to decoding.
func TestSpecCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var specs schema.SpecCache
		known := rapid.SliceOfN(rapid.Custom(drawSpec), 1, 40).Draw(t, "known")
		for _, s := range known {
			if err := specs.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		s := rapid.Custom(drawSpec).Draw(t, "spec")
		if alike := rapid.Bool().Draw(t, "alike"); alike {
			s = known[len(known)-1]
			s.Seed = rapid.Uint64().Draw(t, "seed")
		}
		data, err := schema.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		r := schema.NewCBORReader(data)
		got, encoded := specs.Read(&r)
		if !r.Complete() {
			if reflect.DeepEqual(s, known[len(known)-1]) && s.Data.IsZero() {
				t.Fatal("the last of them is not known")
			}
			return
		}
		want, err := decodeSpec(data)
		if err != nil || !reflect.DeepEqual(got, want) || string(encoded) != string(data) {
			t.Fatalf("%+v, want %+v: %v", got, want, err)
		}
		if id, err := schema.RunID(s, nil); err != nil || id != schema.RunIDOfEncodedSpec(encoded) {
			t.Fatalf("another ID: %v", err)
		}
	})
}

// TestSpecCacheOwnParams: specs read from one template share no maps.
func TestSpecCacheOwnParams(t *testing.T) {
	s := schema.Spec{Env: schema.Env{Name: "ring", Params: map[string]int64{"bits": 5}}}
	var specs schema.SpecCache
	if err := specs.Add(s); err != nil {
		t.Fatal(err)
	}
	data, err := schema.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := schema.NewCBORReader(data)
		got, _ := specs.Read(&r)
		if !r.Complete() || got.Env.Params["bits"] != 5 {
			t.Fatalf("%+v", got)
		}
		got.Env.Params["bits"] = 6
	}
}

// row has what [schema.CBORReader] reads.
type row struct {
	A string        `cbor:"a"`
	B int64         `cbor:"b"`
	C uint64        `cbor:"c"`
	D schema.Digest `cbor:"d"`
	E *int64        `cbor:"e"`
	F []string      `cbor:"f"`
}

func (v *row) read(data []byte) bool {
	r := schema.NewCBORReader(data)
	r.ReadMap(6)
	r.ReadKey("a")
	v.A = r.ReadText()
	r.ReadKey("b")
	v.B = r.ReadInt64()
	r.ReadKey("c")
	v.C = r.ReadUint()
	r.ReadKey("d")
	v.D = r.ReadDigest()
	r.ReadKey("e")
	r.ReadNull()
	r.ReadKey("f")
	r.ReadEmptyArray()
	return r.Complete()
}

// TestCBORReader: canonical bytes are read as they were written, and changed bytes only if
// decoding reads the same from them.
func TestCBORReader(t *testing.T) {
	edges := rapid.SampledFrom([]uint64{0, 23, 24, 255, 256, 65535, 65536, math.MaxUint32, math.MaxUint32 + 1,
		math.MaxInt64, math.MaxUint64})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(edges, rapid.Uint64()).Draw(t, "n")
		v := row{A: rapid.String().Draw(t, "a"), B: int64(n >> 1), C: n, F: []string{}}
		if rapid.Bool().Draw(t, "negative") {
			v.B = ^v.B
		}
		data, err := schema.Marshal(v)
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
			if err := schema.Unmarshal(data, &want); err != nil || changed.A != want.A || changed.B != want.B ||
				changed.C != want.C || changed.D != want.D {
				t.Fatalf("%+v, want %+v: %v", changed, want, err)
			}
		}
	})
}
