package task

import (
	"context"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// By hand, in the corridor of [corridor] with γ = α = ½: an option that is followed teaches the
// value of each action that it takes, and nothing else.
func TestPublishedUpdates(t *testing.T) {
	const right = 1
	l := newPublishedAgent(corridor(t, Training{Algorithm: Published, Alpha: 0.5}))
	if n, m := l.explored.numChoices(), l.numChoices(); n != 5 || m != 4 || len(l.q) != 5*4 {
		t.Fatalf("%d choices, values of %d for %d states", n, m, len(l.q)/m)
	}
	l.update(3, right, l.targetValue(l.act(3, right), l.maxValue)) // ½·1
	l.update(2, right, l.targetValue(l.act(2, right), l.maxValue)) // ½·γ·½
	l.update(2, right, l.targetValue(l.act(2, right), l.maxValue)) // ⅛ + ½(γ·½ − ⅛)
	l.update(1, 3, l.targetValue(l.act(1, 3), l.maxValue))         // ½·γ·0
	for s, want := range []float64{0, 0, 0.1875, 0.5, 0} {
		if q := l.choiceValues(s)[right]; q != want {
			t.Errorf("Q(%d, right) = %v, want %v", s, q, want)
		}
	}
}

// In the episodes that are scored nothing is learned; with ε = 0 and values that lead there they
// take the shortest path.
func TestScoredEpisodesTeachNothing(t *testing.T) {
	l := newPublishedAgent(corridor(t, Training{Algorithm: Published, Alpha: 0.5}))
	for i := range 200 {
		l.explore = 0
		l.qAgent.runEpisode(l.followDrawn)
		before := slices.Clone(l.q)
		n := l.qAgent.runEpisode(l.score)
		if !slices.Equal(before, l.q) {
			t.Fatal("a scored episode changed the values")
		}
		if i == 199 && (n != 3) {
			t.Errorf("after 200 episodes from state 1 to state 4 in %d steps", n)
		}
	}
}

// The exploration rate falls linearly to 0: with 10 episodes, greedy from the 9th on, it is 0.4,
// 0.4·7/8, …, 0.4/8, 0, 0.
func TestExplorationRates(t *testing.T) {
	how := Training{Epsilon: 0.4, GreedyFrom: 8}
	for i, want := range map[int]float64{0: 0.4, 1: 0.35, 4: 0.2, 7: 0.05, 8: 0, 9: 0} {
		if got := how.explorationRate(i); got-want > 1e-15 || want-got > 1e-15 {
			t.Errorf("episode %d: %v, want %v", i, got, want)
		}
	}
	if got := (Training{Epsilon: 0.4}).explorationRate(9); got != 0.4 {
		t.Errorf("constant: %v", got)
	}
}

// A greedy agent that knows the values takes the shortest path: the bound is met, from each start.
func TestBound(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	g := env.(*envs.Grid)
	set := setOf(t, env)
	task, err := NewTask(set.Model, g.Map.Goal, g.Map.Start, 0.9, 1000)
	if err != nil {
		t.Fatal(err)
	}
	steps, value := task.Bound()
	if want := 0.13508517176729928; steps != 20 || value-want > 1e-12 || want-value > 1e-12 { // 0.9¹⁹
		t.Errorf("shortest path of %v steps, return %v", steps, value)
	}
	if task, err = NewTask(set.Model, g.Map.Goal, AnyStart, 0.9, 1000); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for s, d := range set.Model.StepsTo(g.Map.Goal) {
		if s != g.Map.Goal {
			sum += float64(d)
		}
	}
	if steps, _ = task.Bound(); steps != sum/103 {
		t.Errorf("%v steps from a drawn start, want %v", steps, sum/103)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	how := Training{Algorithm: Published, Alpha: 0.1}
	if _, err := Train(done, set, task, how, 1, rng.NewStream(0, 0, "t")); err == nil {
		t.Error("a cancelled training ends without an error")
	}
}

// TestPublishedExplores: with an exploration rate of 1 the scored episodes are walks, which take longer.
func TestPublishedExplores(t *testing.T) {
	steps := func(epsilon float64) (sum uint32) {
		l := corridor(t, Training{})
		how := Training{Algorithm: Published, Alpha: 0.5, Epsilon: epsilon}
		c, err := Train(t.Context(), l.ActionSet, l.task, how, 50, rng.NewStream(1, 0, TrainingStream))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range c {
			sum += n
		}
		return sum
	}
	if walk, greedy := steps(1), steps(0); walk < 2*greedy {
		t.Errorf("%d steps with an exploration rate of 1, %d with 0", walk, greedy)
	}
}
