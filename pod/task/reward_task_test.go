package task

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/experience"
	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// modelOfWalk returns the model of one recorded chunk in a corridor of five cells.
func modelOfWalk(t *testing.T, c *schema.Transitions, rewards ...float64) *experience.RewardModel {
	t.Helper()
	env, tally := podtest.Grid(t, "1,5\nS...G\n", 0), experience.NewRewardTally()
	tally.Add(env, c, rewards, true)
	m, err := experience.NewRewardModel(env, tally)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modelEnv has the sizes of a model.
type modelEnv struct {
	envs.Env
	model *envs.Model
}

func (m modelEnv) States() int { return m.model.States }

func (m modelEnv) Actions() []string { return make([]string, m.model.Actions) }

// TestRewardTask: a start of which nothing is known, and rewards that add up beyond all numbers, are refused.
func TestRewardTask(t *testing.T) {
	m := modelOfWalk(t, &schema.Transitions{Start: 0, Actions: []uint8{1}, Next: []uint32{4},
		Episodes: []schema.Episode{{Step: 1, State: 0, Terminated: true}}}, 1)
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
// in the goal, where episodes terminate. step is the reward of all others.
func goalAsReward(t rapid.TB, env envs.Env, model *envs.Model, goal int, inGoal, step float64) *experience.RewardModel {
	t.Helper()
	c, rewards := &schema.Transitions{Next: []uint32{}}, []float64(nil)
	for edge := range model.States * model.Actions {
		a, next := edge%model.Actions, model.Next(edge/model.Actions, edge%model.Actions)
		c.Actions, c.Next, rewards = append(c.Actions, uint8(a)), append(c.Next, uint32(next)), append(rewards, step)
		if next == goal {
			rewards[edge] = inGoal
		}
		c.Episodes = append(c.Episodes, schema.Episode{Step: uint64(edge + 1), Terminated: next == goal,
			State: uint64(min(edge+1, model.States*model.Actions-1) / model.Actions)})
	}
	tally := experience.NewRewardTally()
	tally.Add(env, c, rewards, true)
	m, err := experience.NewRewardModel(env, tally)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGoalIsAReward: an agent that is rewarded where its goal is learns the same, draw by draw, by any
// protocol, with options, and with interruption.
func TestGoalIsAReward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := randomSet(t, []int64{0})
		goal, start := 0, set.Model.States-1
		how := Training{
			Algorithm: rapid.SampledFrom(evaluation.Algorithms).Draw(t, "algorithm"),
			Alpha:     rapid.Float64Range(0.01, 1).Draw(t, "alpha"), Epsilon: rapid.Float64Range(0, 1).Draw(t, "epsilon"),
		}
		how.Interrupt = how.Algorithm != evaluation.Published && rapid.Bool().Draw(t, "interrupt")
		seed := rapid.Uint64().Draw(t, "seed")
		want := trainAgent(t, set, goal, start, how, 20, seed)
		task, err := NewRewardTask(goalAsReward(t, modelEnv{model: set.Model}, set.Model, goal, 1, 0), start, 0.9, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Train(context.Background(), set, task, how, 20, rng.NewStream(seed, 0, TrainingStream))
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
	for _, algorithm := range []evaluation.Algorithm{evaluation.SMDP, evaluation.IntraOption} {
		l := corridor(t, Training{Algorithm: algorithm, Alpha: 0.5, Interrupt: algorithm == evaluation.SMDP})
		m := goalAsReward(t, modelEnv{model: l.Model}, l.Model, 4, -1, -1)
		l.ActionSet.Rewards, l.task.rewards = m, m
		l = newQAgent(l.ActionSet, l.task, l.training, l.stream)
		l.setValue(1, option, 1)
		if end, steps := oneChoice(l, 1); end != 4 || steps != 3 {
			t.Fatalf("the option ends in %d after %d steps", end, steps)
		}
		want := []float64{0, -0.375, -0.75, -0.5, 0} // 1 + ½(−1.75 − 1), ½·−1.5, ½·−1
		if algorithm == evaluation.IntraOption {
			want = []float64{0, 0, -0.5, -0.5, 0} // 1 + ½(−1 + ½·0 − 1), ½(−1 + ½·0)
		}
		for s, w := range want {
			if q := l.choiceValues(s)[option]; q != w {
				t.Errorf("%s: Q(%d, option) = %v, want %v", algorithm, s, q, w)
			}
		}
		for choice := range l.numChoices() {
			l.setValue(2, choice, -3-float64(choice))
		}
		if best := l.maxValue(2); best != -3 {
			t.Errorf("%s: the largest value is %v", algorithm, best)
		}
	}
}

// TestUntriedIsNotChosen: what was not tried is no choice, neither as an action nor as an option's.
func TestUntriedIsNotChosen(t *testing.T) {
	m := modelOfWalk(t, &schema.Transitions{
		Start: 1, Actions: []uint8{3, 1, 1, 0, 1, 1}, Next: []uint32{0, 1, 2, 2, 3, 4},
		Episodes: []schema.Episode{{Step: 6, State: 1, Terminated: true}},
	}, 0, 0, 0, 0, 0, 1)
	set := setOf(t, podtest.Grid(t, "1,5\nS...G\n", 0),
		&schema.Option{Arity: 4, Policy: []int8{schema.Terminate, 3, 1, 2, schema.Terminate}})
	set.Rewards = m
	choices := newChoiceLists(set)
	for s, want := range map[int][]int32{0: {1}, 1: {1, 3, 4}, 2: {0, 1, 4}, 3: {1}} {
		if got := choices.in(s); !slices.Equal(got, want) {
			t.Errorf("state %d has the choices %v, want %v", s, got, want)
		}
	}
	if !set.hasEnded(4, 3, 1) || set.hasEnded(4, 2, 1) {
		t.Error("an option goes on where its action was not tried, or ends before")
	}
}
