package pod

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// walkedModel returns the model of one recorded chunk in four rooms' features, which only count its states.
func walkedModel(t *testing.T, c *schema.Transitions, rewards ...float64) *RewardModel {
	t.Helper()
	tally := NewRewardTally()
	tally.Add(gridOf(t, "1,5\nS...G\n", 0), c, rewards, true)
	m, err := NewRewardModel(gridOf(t, "1,5\nS...G\n", 0), tally)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// By hand: a mean of three rewards, episodes that end, and transitions that lead nowhere. State 3 was never
// left, so that the step into it, from 2, does not count; and then nothing is known of 2 either.
func TestRewardModel(t *testing.T) {
	m := walkedModel(t, &schema.Transitions{
		Start: 0, Actions: []uint8{1, 1, 1, 1, 0, 1, 1, 1}, Next: []uint32{1, 4, 1, 0, 4, 1, 2, 3},
		Episodes: []schema.Episode{
			{Step: 2, State: 0, Terminated: true}, {Step: 4, State: 1}, {Step: 5, State: 0, Terminated: true},
		},
	}, -1, 10, -4, 7, 0, -1, 5, 5)
	if m.Transitions != 6 || m.LeftOut != 2 || !m.Terminates || m.Truncated != 2 || m.Starts != 2 {
		t.Errorf("%+v", m)
	}
	for _, w := range []struct {
		s, action int
		want      []rewardedOutcome
	}{
		{0, 1, []rewardedOutcome{{1, false, 3, -2}}},
		{1, 0, []rewardedOutcome{{4, true, 1, 0}}},
		{1, 1, []rewardedOutcome{{0, false, 1, 7}, {4, true, 1, 10}}},
		{2, 1, nil}, {3, 1, nil}, {0, 0, nil},
	} {
		if got := m.outcomesOf(w.s, w.action); !slices.Equal(got, w.want) || m.isTried(w.s, w.action) != (w.want != nil) {
			t.Errorf("action %d in state %d: %v, want %v", w.action, w.s, got, w.want)
		}
	}
	if !slices.Equal(m.starts, []int32{0, 1}) || !slices.Equal(m.weights, []int64{3, 1}) || m.countTried(1) != 2 {
		t.Errorf("starts %v, %v times", m.starts, m.weights)
	}
}

// By hand: with one step left action 1 of state 1 earns 8.5; with two it earns 8.5 + ½·(−2); then
// state 0 is worth −2 + 8.5, and so on.
func TestBestReturn(t *testing.T) {
	m := walkedModel(t, &schema.Transitions{
		Start: 0, Actions: []uint8{1, 1, 1, 1}, Next: []uint32{1, 4, 1, 0},
		Episodes: []schema.Episode{{Step: 2, State: 0, Terminated: true}, {Step: 4, State: 1}},
	}, -2, 10, -2, 7)
	for limit, want := range map[int64]float64{1: -2, 2: 6.5, 3: -2 + 7.5, 4: -2 + 8.5 + 3.25} {
		if got, err := m.Best(t.Context(), 0, limit); err != nil || got == nil || *got != want {
			t.Errorf("within %d steps %v, %v, want %v", limit, got, err, want)
		}
	}
	mean, err := m.Best(t.Context(), schema.AnyStart, 1)
	if err != nil || math.Abs(*mean-(2*-2+8.5)/3) > 1e-15 {
		t.Errorf("from two starts %v, %v", *mean, err)
	}
	task, err := NewRewardTask(m, 4, 0.9, 10)
	if err == nil || schema.Remedy(err) == "" {
		t.Errorf("a start of which nothing is known: %+v", task)
	}
	m.Largest = 1e299
	if _, err = NewRewardTask(m, 0, 0.9, 100); err == nil || schema.Remedy(err) == "" {
		t.Error("rewards beyond what can be added up are accepted")
	}
}

// goalAsReward returns the model that has seen each action of each state of a model once, with a reward of 1
// in the goal, where episodes terminate.
func goalAsReward(model *Model, goal, start int) *RewardModel {
	m := &RewardModel{states: model.States, actions: model.Actions, starts: []int32{int32(start)}, weights: []int64{1},
		Largest: 1}
	for edge := range model.States * model.Actions {
		m.beginEdges(edge)
		next := model.Next(edge/model.Actions, edge%model.Actions)
		o := rewardedOutcome{next: int32(next), weight: 1, over: next == goal}
		if o.over {
			o.reward = 1
		}
		m.outcomes = append(m.outcomes, o)
	}
	m.beginEdges(model.States * model.Actions)
	return m
}

// TestGoalIsAReward: an agent that is rewarded where its goal is learns the same, draw by draw, by any
// protocol, with options, and with interruption.
func TestGoalIsAReward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := randomSet(t, []int64{0})
		goal, start := 0, set.Model.States-1
		how := Training{
			Algorithm: rapid.SampledFrom(schema.Algorithms).Draw(t, "algorithm"),
			Alpha:     rapid.Float64Range(0.01, 1).Draw(t, "alpha"), Epsilon: rapid.Float64Range(0, 1).Draw(t, "epsilon"),
		}
		how.Interrupt = how.Algorithm != schema.Published && rapid.Bool().Draw(t, "interrupt")
		seed := rapid.Uint64().Draw(t, "seed")
		want := trainAgent(t, set, goal, start, how, 20, seed)
		task, err := NewRewardTask(goalAsReward(set.Model, goal, start), start, 0.9, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Train(context.Background(), set, task, how, 20, NewStream(seed, 0, TrainingStream))
		if err != nil || !slices.Equal(got.Steps, want) {
			t.Fatalf("%v, %v, want %v", got.Steps, err, want)
		}
		for i, n := range want {
			if earned := got.Returns[i]; earned != float64(min(n, 1)) {
				t.Fatalf("episode %d of %d steps earns %v", i, n, earned)
			}
		}
	})
}

// TestRewardUpdates: by hand, in the corridor with γ = α = ½ and a reward of −1 a step. An option's call of
// three steps is worth −1 − ½ − ¼, and what it passes −1 − ½ and −1; a value below 0 is the best there is.
func TestRewardUpdates(t *testing.T) {
	const option = 4
	for _, algorithm := range []schema.Algorithm{schema.SMDP, schema.IntraOption} {
		l := corridor(t, Training{Algorithm: algorithm, Alpha: 0.5, Interrupt: algorithm == schema.SMDP})
		m := goalAsReward(l.Model, 4, 1)
		for i := range m.outcomes {
			m.outcomes[i].reward = -1
		}
		l.task.rewards, l.Rewards = m, m
		l.choiceValues(1)[option] = 1
		if end, steps := oneChoice(l, 1); end != 4 || steps != 3 {
			t.Fatalf("the option ends in %d after %d steps", end, steps)
		}
		want := []float64{0, -0.375, -0.75, -0.5, 0} // 1 + ½(−1.75 − 1), ½·−1.5, ½·−1
		if algorithm == schema.IntraOption {
			want = []float64{0, 0, -0.5, -0.5, 0} // 1 + ½(−1 + ½·0 − 1), ½(−1 + ½·0)
		}
		for s, w := range want {
			if q := l.choiceValues(s)[option]; q != w {
				t.Errorf("%s: Q(%d, option) = %v, want %v", algorithm, s, q, w)
			}
		}
		for choice := range l.numChoices() {
			l.choiceValues(2)[choice] = -3 - float64(choice)
		}
		if best := l.maxValue(2); best != -3 {
			t.Errorf("%s: the largest value is %v", algorithm, best)
		}
	}
}

// TestUntriedIsNotChosen: what was not tried is no choice, neither as an action nor as an option's.
func TestUntriedIsNotChosen(t *testing.T) {
	m := walkedModel(t, &schema.Transitions{
		Start: 1, Actions: []uint8{3, 1, 1, 0, 1, 1}, Next: []uint32{0, 1, 2, 2, 3, 4},
		Episodes: []schema.Episode{{Step: 6, State: 1, Terminated: true}},
	}, 0, 0, 0, 0, 0, 1)
	set := setOf(t, gridOf(t, "1,5\nS...G\n", 0),
		&schema.Option{Arity: 4, Policy: []int8{schema.Terminate, 3, 1, 2, schema.Terminate}})
	set.Rewards = m
	for s, want := range map[int][]int{0: {1}, 1: {1, 3, 4}, 2: {0, 1, 4}, 3: {1}} {
		var got []int
		for choice := range set.numChoices() {
			if set.isAvailable(choice, s) {
				got = append(got, choice)
			}
		}
		if !slices.Equal(got, want) || set.countAvailable(s) != len(want) {
			t.Errorf("state %d has the choices %v, want %v", s, got, want)
		}
	}
	if !set.hasEnded(4, 3, 1) || set.hasEnded(4, 2, 1) {
		t.Error("an option goes on where its action was not tried, or ends before")
	}
}
