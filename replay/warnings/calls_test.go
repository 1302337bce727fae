package warnings

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestCountEnds: a call ends by itself, at the limit of 4 steps, with an episode, or is left to the end.
func TestCountEnds(t *testing.T) {
	const primitive = schema.Primitive
	for _, c := range []struct {
		name     string
		spans    []schema.Span
		episodes []schema.Episode
		want     callEnds
	}{
		{"primitive", []schema.Span{{Steps: 9, Option: primitive}}, nil, callEnds{steps: 9}},
		{"by itself", []schema.Span{{Steps: 3, Option: 0}, {Steps: 2, Option: primitive}}, nil,
			callEnds{calls: 1, ended: 1, steps: 5}},
		{"at the limit", []schema.Span{{Steps: 4, Option: 0}, {Steps: 4, Option: 1}}, nil,
			callEnds{calls: 2, atLimit: 2, steps: 8, truncatedSteps: 8}},
		{"truncated episode", []schema.Span{{Steps: 2, Option: primitive}, {Steps: 3, Option: 0}, {Steps: 1, Option: 0}},
			[]schema.Episode{{Step: 5}}, callEnds{calls: 2, atEpisode: 1, steps: 6, truncatedSteps: 4, longest: 5}},
		{"terminated episode", []schema.Span{{Steps: 3, Option: 0}}, []schema.Episode{{Step: 3, Terminated: true}},
			callEnds{calls: 1, ended: 1, steps: 3}},
		{"episodes of actions", []schema.Span{{Steps: 7, Option: primitive}, {Steps: 2, Option: 0}},
			[]schema.Episode{{Step: 3, Terminated: true}, {Step: 7}},
			callEnds{calls: 1, steps: 9, truncatedSteps: 2, longest: 4}},
	} {
		chunk := schema.Transitions{Spans: c.spans, Episodes: c.episodes, Actions: make([]uint8, c.want.steps)}
		if got := countEnds(&chunk, 4); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestRoundDown: a κ that is proposed is never over the number that it was made from, and near to it.
func TestRoundDown(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 0.0253: 0.02, 0.0999: 0.09, 9.99e-7: 9e-7, 123: 100, 0.1: 0.1,
		0.3: 0.3, 7e20: 7e20, 1.5: 1} {
		if got := roundDown(x); got != want {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}

// TestComparedIsFinite: what a warning says can be written as JSON, whatever the scale of the features.
func TestComparedIsFinite(t *testing.T) {
	if got := compared(schema.BySquare, 1e200, 1); got != math.MaxFloat64 {
		t.Errorf("1e200 squared is %v", got)
	}
}
