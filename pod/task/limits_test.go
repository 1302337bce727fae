package task

import (
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/experience"
	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	train := func(states int) error {
		_, err := Train(t.Context(), ActionSet{Model: &envs.Model{States: states, Actions: 1}}, Task{}, Training{}, 0, nil)
		return err
	}
	earn := func(largest float64) error {
		_, err := NewRewardTask(&experience.RewardModel{Largest: largest}, evaluation.AnyStart, 0.5, 1)
		return err
	}
	diffuse := func(states int) error { // in a circle, where every state is reached
		return checkDiffusible(podtest.Model(t, states, 1, func(s, _ int) int { return (s + 1) % states }))
	}
	schematest.Limits{
		{"rewards", "rewards of up to 5.0000", earn(maxValues / 2), earn(math.Nextafter(maxValues/2, math.MaxFloat64))},
		{"states of a diffusion", "up to 1024", diffuse(1024), diffuse(1025)},
		{"entries of a table", "may have 67108864 entries", train(maxTableEntries), train(maxTableEntries + 1)},
	}.Check(t)
}

// TestPassedStatesAreBounded: of a long call the latest states are kept.
func TestPassedStatesAreBounded(t *testing.T) {
	passed := func(n int) int {
		l := &qAgent{training: Training{Interrupt: true, Algorithm: evaluation.SMDP}}
		for range n {
			l.notePassed(move{})
		}
		return len(l.passed)
	}
	if passed(maxPassed) != maxPassed || passed(maxPassed+1) != 1 {
		t.Errorf("%d at the limit, %d beyond", passed(maxPassed), passed(maxPassed+1))
	}
}

// TestDiffusionNamesWhatIsNotReached: of two states, the second leads to the first, and nothing leads back.
func TestDiffusionNamesWhatIsNotReached(t *testing.T) {
	for _, c := range []struct {
		next [2]int
		want string
	}{
		{[2]int{0, 0}, "from state 0 to state 1"},
		{[2]int{1, 1}, "from state 1 to state 0"},
		{[2]int{1, 0}, ""},
	} {
		err := checkDiffusible(podtest.Model(t, 2, 1, func(s, _ int) int { return c.next[s] }))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.next, err, c.want)
		}
	}
}
