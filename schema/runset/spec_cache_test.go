package runset_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/wire"
)

// drawSpec draws a spec: few differ in the seed alone.
func drawSpec(t *rapid.T) schema.Spec {
	return schema.Spec{
		Numerics: schema.NumericsVersion,
		Env: schema.Env{
			Name:    rapid.String().Draw(t, "env"),
			Version: rapid.Uint64().Draw(t, "version"),
			Params:  rapid.MapOfN(rapid.StringMatching("[a-z]+"), rapid.Int64(), 0, 4).Draw(t, "params"),
		},
		Seed:     rapid.Uint64().Draw(t, "seed"),
		Steps:    rapid.Int64Range(1, schema.MaxSteps).Draw(t, "steps"),
		Kappa:    rapid.Float64Range(0, 100).Draw(t, "kappa"),
		Basis:    schema.RightSingular,
		Dataset:  schema.PerIteration,
		Select:   schema.Threshold,
		Learner:  schema.Sweeps,
		Data:     rapid.SampledFrom([]schema.Digest{{}, {31: 1}, {0: 255}}).Draw(t, "data"),
		Options:  rapid.SampledFrom([]schema.Lifetime{"", "replace", "last=7"}).Draw(t, "options"),
		LeaveOut: rapid.SampledFrom([][]uint64{nil, {0}, {3, 17}}).Draw(t, "leave out"),
	}
}

// TestSpecCache: a spec that matches a template is read as the decoder reads it, with the same ID; any other is
// left to the decoder.
func TestSpecCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var specs runset.SpecCache
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
		data, err := wire.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		r := wire.NewCBORReader(data)
		got, encoded := specs.Read(&r)
		if !r.Complete() {
			if reflect.DeepEqual(s, known[len(known)-1]) && s.Data.IsZero() {
				t.Fatal("the last of them is not known")
			}
			return
		}
		var want schema.Spec
		err = wire.Unmarshal(data, &want)
		if err != nil || !reflect.DeepEqual(got, want) || string(encoded) != string(data) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if id, err := schema.RunID(s, nil); err != nil || id != schema.RunIDOfEncodedSpec(encoded) {
			t.Fatalf("another ID: %v", err)
		}
	})
}

// TestSpecCacheOwnParams: specs read from one template share no maps.
func TestSpecCacheOwnParams(t *testing.T) {
	s := schema.Spec{Env: schema.Env{Name: "ring", Params: map[string]int64{"bits": 5}}}
	var specs runset.SpecCache
	if err := specs.Add(s); err != nil {
		t.Fatal(err)
	}
	data, err := wire.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := wire.NewCBORReader(data)
		got, _ := specs.Read(&r)
		if !r.Complete() || got.Env.Params["bits"] != 5 {
			t.Fatalf("%+v", got)
		}
		got.Env.Params["bits"] = 6
	}
}
