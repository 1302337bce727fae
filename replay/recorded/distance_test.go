package recorded

import (
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestPositions follows a corridor of five cells whose episodes begin in its first
// cell, wherever the walk before them was.
func TestPositions(t *testing.T) {
	env, err := envs.NewEnv(schema.Env{
		Name: "grid", Version: 1, Params: map[string]int64{"slip": 0, "episode": 3, "goal": 0},
		Text: map[string]string{"map": "1,5\nS....\n", "observe": envs.OneHot},
	})
	if err != nil {
		t.Fatal(err)
	}
	position := NewPositionFunc(env, []int64{5})
	for i, step := range []struct {
		Step
		want int64
	}{
		{Step{T: 0, State: 0, Next: 1}, 1},
		{Step{T: 1, State: 1, Next: 2}, 2},
		{Step{T: 2, State: 2, Next: 3, Resets: true}, 3},
		{Step{T: 3, State: 4, Next: 3}, 1}, // an episode that begins in cell 4
		{Step{T: 4, State: 3, Next: 2}, 2},
		{Step{T: 5, State: 1, Next: 2}, 1}, // and the next iteration
	} {
		if got := position(step.Step); got != step.want {
			t.Errorf("step %d: %d, want %d", i, got, step.want)
		}
	}
}
