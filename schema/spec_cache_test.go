package schema_test

import (
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
