package task

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// trainAgent trains an agent with the standard parameters.
func trainAgent(t rapid.TB, set ActionSet, goal, start int, how Training, episodes int, seed uint64) []uint32 {
	t.Helper()
	task, err := NewTask(set.Model, goal, start, 0.9, 1000)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := Train(context.Background(), set, task, how, episodes, rng.NewStream(seed, 0, TrainingStream))
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// oneChoice makes one choice in state s of an episode of up to 100 steps.
func oneChoice(l *qAgent, s int) (end int, steps int64) {
	return l.runChoice(s, &steps).next, steps
}

// With primitive actions alone both algorithms are one-step Q-learning, and nothing can
// be interrupted.
func TestPrimitiveActionsAreLearnedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := randomSet(t, []int64{0, 300})
		set.Options = nil
		how := Training{
			Algorithm: SMDP, Alpha: rapid.Float64Range(0.01, 1).Draw(t, "alpha"),
			Epsilon: rapid.Float64Range(0, 1).Draw(t, "epsilon"),
		}
		goal, seed := rapid.IntRange(0, set.Model.States-1).Draw(t, "goal"), rapid.Uint64().Draw(t, "seed")
		first := trainAgent(t, set, goal, AnyStart, how, 20, seed)
		how.Interrupt = true
		if again := trainAgent(t, set, goal, AnyStart, how, 20, seed); !slices.Equal(first, again) {
			t.Fatalf("%v, and when interrupted %v", first, again)
		}
		how.Algorithm = IntraOption
		if again := trainAgent(t, set, goal, AnyStart, how, 20, seed); !slices.Equal(first, again) {
			t.Fatalf("%v, and from within %v", first, again)
		}
	})
}

// What an episode took is bounded by the shortest path and the limit.
func TestEpisodesTakeWhatTheyMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := randomSet(t, []int64{0, 300})
		goal, start := 0, set.Model.States-1
		how := Training{
			Algorithm: rapid.SampledFrom(algorithms).Draw(t, "algorithm"), Alpha: 0.5, Epsilon: 0.2,
		}
		how.Interrupt = how.Algorithm != Published && rapid.Bool().Draw(t, "interrupt")
		shortest := set.Model.StepsTo(goal)[start]
		for i, n := range trainAgent(t, set, goal, start, how, 30, rapid.Uint64().Draw(t, "seed")) {
			if n > 1000 || n != 0 && n < uint32(shortest) {
				t.Fatalf("episode %d took %d steps where the shortest path has %d", i, n, shortest)
			}
		}
	})
}

// corridor returns a corridor of five cells with the goal at its right end and an option
// that goes there from the three cells in the middle.
func corridor(t *testing.T, how Training) *qAgent {
	env := podtest.Grid(t, "1,5\nS...G\n", 0)
	set := setOf(t, env, &schema.Option{Arity: 4, Policy: []int8{schema.Terminate, 1, 1, 1, schema.Terminate}})
	task, err := NewTask(set.Model, 4, 1, 0.5, 100)
	if err != nil {
		t.Fatal(err)
	}
	l := newQAgent(set, task, how, rng.NewStream(0, 0, TrainingStream))
	l.setValue(1, 4, 1) // the option is chosen in state 1
	return l
}

// Values worked out by hand from the updates of Sutton, Precup & Singh (1999), γ = α = ½.
func TestUpdates(t *testing.T) {
	const right, option = 1, 4
	l := corridor(t, Training{Algorithm: SMDP, Alpha: 0.5})
	if end, steps := oneChoice(l, 1); end != 4 || steps != 3 {
		t.Fatalf("the option ends in %d after %d steps", end, steps)
	}
	if q := l.choiceValues(1)[option]; q != 0.625 { // 1 + ½(γ² − 1)
		t.Errorf("SMDP: Q(1, option) = %v", q)
	}
	if q := l.choiceValues(3)[right]; q != 0 {
		t.Errorf("SMDP: Q(3, right) = %v", q)
	}

	l = corridor(t, Training{Algorithm: IntraOption, Alpha: 0.5})
	l.setValue(2, option, 0.25)
	oneChoice(l, 1)
	for _, w := range []struct {
		s, choice int
		q         float64
	}{
		{1, option, 0.5625}, // 1 + ½(γ·¼ − 1)
		{1, right, 0.0625},  // ½·γ·¼
		{2, option, 0.125},  // ¼ + ½(γ·0 − ¼)
		{3, option, 0.5},    // ½·1
		{3, right, 0.5},
		{3, 0, 0}, // up was not taken
	} {
		if q := l.choiceValues(w.s)[w.choice]; q != w.q {
			t.Errorf("intra-option: Q(%d, %d) = %v, want %v", w.s, w.choice, q, w.q)
		}
	}
}

// TestUpdatesWithStart: an option that starts in one state alone is learned wherever it acts, and is no choice
// elsewhere. Values are worked out by hand as in TestUpdates.
func TestUpdatesWithStart(t *testing.T) {
	const right, option = 1, 4
	for _, interrupt := range []bool{false, true} {
		l := corridor(t, Training{Algorithm: IntraOption, Alpha: 0.5, Interrupt: interrupt})
		start := 1
		l.Options[0].Purpose.Start = &start
		l = newQAgent(l.ActionSet, l.task, l.training, l.stream)
		l.setValue(1, option, 1)
		l.setValue(2, option, 0.25)
		if in := l.choices.in(2); slices.Contains(in, option) || !slices.Contains(l.choices.in(1), option) {
			t.Errorf("the choices in state 2 are %v", in)
		}
		oneChoice(l, 1)
		for _, w := range []struct {
			s, choice int
			q         float64
		}{
			{1, option, 0.5625}, // 1 + ½(γ·¼ − 1)
			{1, right, 0},       // ½·γ·0, as the option is no choice in state 2
			{2, option, 0.125},  // ¼ + ½(γ·0 − ¼)
			{3, option, 0.5},    // ½·1
		} {
			if q := l.choiceValues(w.s)[w.choice]; q != w.q {
				t.Errorf("interrupt %v: Q(%d, %d) = %v, want %v", interrupt, w.s, w.choice, q, w.q)
			}
		}
	}
}

// An option is interrupted if another choice has a larger value, and its value is updated
// with what it yielded until then.
func TestInterruption(t *testing.T) {
	const left, option = 3, 4
	l := corridor(t, Training{Algorithm: SMDP, Alpha: 0.5, Interrupt: true})
	l.setValue(2, left, 0.5)
	l.updated[2*l.numChoices()+option] = true
	if end, steps := oneChoice(l, 1); end != 2 || steps != 1 {
		t.Fatalf("the option is left in %d after %d steps", end, steps)
	}
	if q := l.choiceValues(1)[option]; q != 0.625 { // 1 + ½(γ·½ − 1)
		t.Errorf("Q(1, option) = %v", q)
	}
}

// An option is not interrupted in a state in which its value was not learned yet. A call
// that passes a state updates the value there, as if the option had been called there.
func TestGoingOnIsLearned(t *testing.T) {
	const left, option = 3, 4
	l := corridor(t, Training{Algorithm: SMDP, Alpha: 0.5, Interrupt: true})
	l.setValue(2, left, 0.5)
	if end, steps := oneChoice(l, 1); end != 4 || steps != 3 {
		t.Fatalf("the option ends in %d after %d steps", end, steps)
	}
	for s, want := range []float64{0, 0.625, 0.25, 0.5, 0} { // 1 + ½(γ² − 1), ½·γ, ½·1
		if q := l.choiceValues(s)[option]; q != want {
			t.Errorf("Q(%d, option) = %v, want %v", s, q, want)
		}
	}
	if end, steps := oneChoice(l, 1); end != 2 || steps != 1 {
		t.Errorf("what is known to be worth ¼ of ½ is left in %d after %d steps", end, steps)
	}
}

// In four rooms Q-learning comes near the shortest path of 20 steps from S to G.
func TestFourRoomsIsLearned(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	g := env.(*envs.Grid)
	set := setOf(t, env)
	shortest := set.Model.StepsTo(g.Map.Goal)[g.Map.Start]
	how := Training{Algorithm: SMDP, Alpha: 0.1, Epsilon: 0.1}
	steps := trainAgent(t, set, g.Map.Goal, g.Map.Start, how, 400, 1)
	early, late := mean(steps[:20]), mean(steps[380:])
	if shortest != 20 || late > 1.5*float64(shortest) || early < 5*late {
		t.Errorf("shortest %d, at first %v, at last %v", shortest, early, late)
	}
}

func mean(steps []uint32) float64 {
	sum := 0.0
	for _, n := range steps {
		if n == 0 {
			n = 1000
		}
		sum += float64(n)
	}
	return sum / float64(len(steps))
}

// An episode ends in a state from which the goal cannot be reached.
func TestEpisodesEndWhereTheGoalIsLost(t *testing.T) {
	env, err := envs.NewEnv(schema.Env{Name: "taxi", Version: 1, Params: map[string]int64{"episode": 0}})
	if err != nil {
		t.Fatal(err)
	}
	set := setOf(t, env)
	state := func(column, passenger, destination int) int { return (column*5+passenger)*4 + destination }
	const inTaxi = 4
	goal, start := state(0, 0, 0), state(1, inTaxi, 0)
	steps := trainAgent(t, set, goal, start, Training{Algorithm: SMDP, Alpha: 0.5, Epsilon: 0.1}, 50, 3)
	if last := steps[49]; last < 2 || last > 10 {
		t.Errorf("the last episode took %d steps, and could take 2", last)
	}
	elsewhere := state(1, inTaxi, 1)
	if _, err := NewTask(set.Model, goal, elsewhere, 0.9, 10); !errors.Is(err, schema.ErrSpec) ||
		schema.Remedy(err) == "" {
		t.Errorf("a goal that cannot be reached: %v", err)
	}
}

// Random options come in pairs of opposite signs, and are the same for a seed.
func TestRandomOptions(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	learner, err := learn.NewOptionLearner(env, podtest.PaperSpec(), learn.Experience{})
	if err != nil {
		t.Fatal(err)
	}
	make := func(n int, seed uint64) []*schema.Option {
		o, err := RandomOptions(context.Background(), env, learner, n, rng.NewStream(seed, 0, "random"))
		if err != nil || len(o) != n {
			t.Fatal(len(o), err)
		}
		return o
	}
	a, b, other := make(3, 1), make(3, 1), make(3, 2)
	for i := range a {
		if !slices.Equal(a[i].Policy, b[i].Policy) {
			t.Errorf("option %d differs from itself", i)
		}
	}
	if slices.Equal(a[0].Policy, other[0].Policy) || a[1].Purpose.Vector[0] != -a[0].Purpose.Vector[0] ||
		a[2].Purpose.J != 2 {
		t.Error("the options are not drawn, or not in pairs")
	}
	want := selection.IsotropicDirection(env.States(), rng.NewStream(1, 0, "random"))
	if !slices.Equal(a[0].Purpose.Vector, want) {
		t.Error("purposes are not drawn as those of the basis random")
	}
}
