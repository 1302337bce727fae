package stages

import (
	"reflect"
	"testing"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestOptionVectors: options keep their purposes' vectors in memory if the run, or one that it was forked from,
// compares purposes or has an external stage, and lose them otherwise.
func TestOptionVectors(t *testing.T) {
	plain, novel := schema.Spec{Select: schema.Threshold}, schema.Spec{Select: "novel=0.5"}
	external := plain
	external.Stages = &schema.Stages{Measure: &schema.StageProgram{Name: "m", Version: "1"}}
	for name, x := range map[string]struct {
		run  tracker.Run
		keep bool
	}{
		"threshold": {tracker.Run{Spec: plain}, false},
		"novel":     {tracker.Run{Spec: novel}, true},
		"external":  {tracker.Run{Spec: external}, true},
		"fork":      {tracker.Run{Spec: plain, Ancestors: []tracker.Ancestor{{Spec: novel, Until: 1}}}, true},
	} {
		s := &State{Run: x.run}
		s.addOptions([]*schema.Option{{Purpose: schema.Purpose{Vector: []float64{1}}}})
		if kept := s.options.At(0).Purpose.Vector != nil; kept != x.keep {
			t.Errorf("%s: vectors kept: %v, want %v", name, kept, x.keep)
		}
	}
}

// TestPurposesWithoutVectors: an iteration keeps no vector of its purposes, and computes those of
// [selection.Directions.WithVectors] when they are asked for.
func TestPurposesWithoutVectors(t *testing.T) {
	_, begin := positions(t)
	it := begin()
	f := schema.Factors{Dims: 4, Sigma: []float64{3, 2, 2, 0.5}, V: make([]float64, 16)}
	for i := range f.V {
		f.V[i] = float64(i) - 7
	}
	it.Factors = f
	if err := it.selectPurposes(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := it.RunState.Spec()
	want := selection.NewDirections(spec, 0, f).WithVectors(selection.SignedAbove(spec, f))
	if len(it.Purposes) != len(want) || len(want) != 6 {
		t.Fatalf("%d purposes, want %d", len(it.Purposes), len(want))
	}
	for n := range want {
		if it.Purposes[n].Vector != nil {
			t.Errorf("purpose %d keeps its vector", n)
		}
		if p := it.Purpose(n); !reflect.DeepEqual(p, want[n]) {
			t.Errorf("purpose %d is %v, want %v", n, p, want[n])
		}
	}
}
