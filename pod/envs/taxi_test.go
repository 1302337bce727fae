package envs_test

import (
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
)

// TestTaxi compares the domain with what is known of OpenAI Gym's Taxi-v3: 500 states, of which 300 begin episodes and
// 400 can be reached within one before it ends, and that from state 328 the actions lead to 428, 228, 348, 328, 328 and
// 328 (Gym's own example of an encoded state, taxi at row 3, column 1, passenger at yellow, destination red).
func TestTaxi(t *testing.T) {
	e, err := envs.DefaultEnv("taxi")
	if err != nil {
		t.Fatal(err)
	}
	env, err := envs.NewSimulated(e)
	if err != nil {
		t.Fatal(err)
	}
	taxi := env.(interface {
		envs.Episodic
		envs.Metric
	})
	if env.States() != 500 || len(taxi.StartStates()) != 300 {
		t.Errorf("%d states, %d of them begin episodes", env.States(), len(taxi.StartStates()))
	}
	for a, want := range []int{428, 228, 348, 328, 328, 328} {
		if got := env.Step(328, a); got != want {
			t.Errorf("from 328 %s leads to %d, want %d", env.Actions()[a], got, want)
		}
	}
	seen := map[int]bool{}
	for _, s := range taxi.StartStates() {
		for n, d := range taxi.Distances(s) {
			seen[n] = seen[n] || d != envs.Never
		}
	}
	going := 0
	for s := range seen {
		if seen[s] && !taxi.IsTerminal(s) {
			going++
		}
	}
	if going != 400 {
		t.Errorf("%d states within episodes", going)
	}
}
