package behaviours

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestTraceIndex: two sets of options have as much in common by their indexes as pair by pair.
func TestTraceIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.IntRange(1, 70).Draw(t, "states")
		var visits []StateVisits
		for s := range states {
			if n := rapid.Int64Range(0, 3).Draw(t, "steps"); n > 0 {
				visits = append(visits, StateVisits{State: s, Steps: n})
			}
		}
		weights := NewStateWeights(visits)
		var sets [2][]*Trace
		for i := range sets {
			for range rapid.IntRange(0, 12).Draw(t, "options") {
				sets[i] = append(sets[i], drawBehaviour(t, states).TraceIn(visits, weights))
			}
		}
		a, b := NewTraceIndex(sets[0], weights, len(visits)), NewTraceIndex(sets[1], weights, len(visits))
		same, either := a.Common(b)
		for i, option := range sets[0] {
			for j, other := range sets[1] {
				wantSame, wantEither := option.Common(other, weights)
				if same[i][j] != wantSame || either[i][j] != wantEither {
					t.Fatalf("options %d and %d: %d of %d, want %d of %d", i, j, same[i][j], either[i][j], wantSame, wantEither)
				}
			}
		}
	})
}

// drawBehaviour draws a behaviour of two actions with few ends, so that many are the same, and with ties.
func drawBehaviour(t *rapid.T, states int) *Behaviour {
	b := &Behaviour{
		Policy: make([]int8, states), Value: make(schema.Value, states), Inside: newStates(states),
		Ends: make([]int32, states),
	}
	for range 3 {
		b.Acts, b.Greedy = append(b.Acts, newStates(states)), append(b.Greedy, newStates(states))
	}
	most := rapid.Bool().Draw(t, "most") // can it start in most states?
	for s := range states {
		b.Ends[s], b.Policy[s] = int32(s), schema.Terminate
		if (rapid.IntRange(0, 4).Draw(t, "starts") == 0) == most {
			b.Greedy[2].add(s)
			continue
		}
		b.Inside.add(s)
		b.Ends[s] = rapid.SampledFrom([]int32{envs.Never, 0, int32(states - 1)}).Draw(t, "end")
		acts := rapid.IntRange(1, 3).Draw(t, "actions")
		for a := range 2 {
			if acts&(1<<a) != 0 {
				b.Greedy[a].add(s)
				b.Policy[s] = int8(a)
			}
		}
		b.Acts[b.Policy[s]].add(s)
	}
	return b
}
