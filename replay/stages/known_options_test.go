package stages

import (
	"testing"

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
