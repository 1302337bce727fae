package envs_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// collectWithSaves walks n steps in iteration k of a world, saved and restored after each
// of the given numbers of steps.
func collectWithSaves(t rapid.TB, env envs.SimulatedEnv, options []*schema.Option, k, n int,
	stops ...int) schema.Transitions {
	t.Helper()
	ctx := context.Background()
	c := collect.Collector{Env: env, Options: collect.OptionSet{Options: options},
		Running: envs.NewRunningEnv(env, 5, k, env.Start()),
		Stream:  rng.NewStream(5, k, collect.WalkStream), Executing: schema.Primitive}
	state, err := c.Running.Reset(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c.State = state
	chunk := schema.Transitions{Start: uint64(state), Arity: len(env.Actions()), Next: []uint32{}}
	for _, stop := range append(stops, n) {
		if err := c.Collect(ctx, &chunk, stop-len(chunk.Actions)); err != nil {
			t.Fatal(err)
		}
		saved, err := c.Running.(envs.RestorableEnv).Save()
		if err != nil {
			t.Fatal(err)
		}
		c.Running = envs.NewRunningEnv(env, 5, k, env.Start())
		if err := c.Running.(envs.RestorableEnv).Restore(ctx, saved); err != nil {
			t.Fatal(err)
		}
	}
	return chunk
}

// TestRunningEnvContinues: saving and restoring a running environment does not change what
// happens.
func TestRunningEnvContinues(t *testing.T) {
	env := gridOf(t, map[string]int64{"slip": 250, "episode": 60, "goal": 1}, nil)
	want := collectWithSaves(t, env, nil, 2, 500)
	if len(want.Episodes) < 5 {
		t.Fatalf("%d episodes", len(want.Episodes))
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(0, 500).Draw(t, "first stop")
		b := rapid.IntRange(a, 500).Draw(t, "second stop")
		if diff := cmp.Diff(want, collectWithSaves(t, env, nil, 2, 500, a, b)); diff != "" {
			t.Fatalf("stopped at %d and %d (-want +got):\n%s", a, b, diff)
		}
	})
}

// TestSlip: the share of steps that slip is as configured, in every direction equally
// often, and no step leads where no action leads. The bound is five standard deviations of
// a binomial count.
func TestSlip(t *testing.T) {
	const n, slip = 100_000, 0.4
	env := gridOf(t, map[string]int64{"slip": 400}, map[string]string{"map": "open"})
	chunk := collectWithSaves(t, env, nil, 0, n)
	state, inner := int(chunk.Start), 0
	went := map[string]int{}
	for i, a := range chunk.Actions {
		next := int(chunk.Next[i])
		intended := env.Step(state, int(a))
		switch {
		case !neighbours(env, state, next):
			t.Fatalf("step %d goes from %d to %d", i, state, next)
		case hasBump(env, state): // two actions may lead to the same state there
		case next == intended:
			inner++
			went["intended"]++
		default:
			inner++
			went["slipped"]++
		}
		state = next
	}
	expected := float64(inner) * slip * 3 / 4
	if off := math.Abs(float64(went["slipped"]) - expected); off > 5*math.Sqrt(expected) {
		t.Errorf("%d of %d steps slipped, %.0f expected", went["slipped"], inner, expected)
	}
}

func neighbours(env envs.SteppableEnv, s, next int) bool {
	for a := range env.Actions() {
		if env.Step(s, a) == next {
			return true
		}
	}
	return false
}

func hasBump(env envs.SteppableEnv, s int) bool { return neighbours(env, s, s) }

// TestEpisodes walks a corridor of three cells to its goal, or until time is up.
func TestEpisodes(t *testing.T) {
	env := gridOf(t, map[string]int64{"episode": 4, "goal": 1}, map[string]string{"map": "1,3\nS.G\n"})
	chunk := collectWithSaves(t, env, nil, 0, 300)
	state, since, terminated, truncated := 0, 0, 0, 0
	episodes := chunk.Episodes
	for i, a := range chunk.Actions {
		if want := env.Step(state, int(a)); int(chunk.Next[i]) != want {
			t.Fatalf("step %d leads to %d, want %d", i, chunk.Next[i], want)
		}
		state = int(chunk.Next[i])
		since++
		if ends := state == 2 || since == 4; ends != (len(episodes) > 0 && episodes[0].Step == uint64(i+1)) {
			t.Fatalf("step %d: %v", i, episodes)
		} else if !ends {
			continue
		}
		if episodes[0].Terminated != (state == 2) || episodes[0].State != 0 {
			t.Fatalf("step %d in state %d: %+v", i, state, episodes[0])
		}
		if episodes[0].Terminated {
			terminated++
		} else {
			truncated++
		}
		episodes, state, since = episodes[1:], 0, 0
	}
	if terminated == 0 || truncated == 0 {
		t.Errorf("%d episodes terminated, %d truncated", terminated, truncated)
	}
}

// TestTransitionStatsOfEpisodes: transitions, calls and truncated calls of a walk worked
// out by hand: a corridor of four cells, its goal to the right, and an option that goes
// right except in the goal.
func TestTransitionStatsOfEpisodes(t *testing.T) {
	env := gridOf(t, map[string]int64{"episode": 3, "goal": 1}, map[string]string{"map": "1,4\nS..G\n"})
	right := &schema.Option{Arity: 4, Policy: []int8{1, 1, 1, -1}}
	stats := collect.NewTransitionStats(env, collect.OptionSet{Options: []*schema.Option{right}}, 0)
	err := stats.Add(&schema.Transitions{Start: 0, Arity: 4,
		// right to the goal; left against the edge, then the option until time is up; and right once
		Actions: []uint8{1, 1, 1, 3, 1, 1, 1},
		Next:    []uint32{1, 2, 3, 0, 1, 2, 1},
		Spans: []schema.Span{{Steps: 3, Option: 0}, {Steps: 1, Option: schema.Primitive}, {Steps: 2, Option: 0},
			{Steps: 1, Option: 0}},
		Episodes: []schema.Episode{{Step: 3, State: 0, Terminated: true}, {Step: 6, State: 0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]collect.Usage{{Calls: 3, Steps: 6, Truncated: 2, NewStates: 3}},
		stats.OptionUsage()); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	want := envs.TransitionCounts{
		{Transition: envs.Transition{State: 0, Action: 1, Next: 1}, Count: 3},
		{Transition: envs.Transition{State: 0, Action: 3, Next: 0}, Count: 1},
		{Transition: envs.Transition{State: 1, Action: 1, Next: 2}, Count: 2},
		{Transition: envs.Transition{State: 2, Action: 1, Next: 3, Terminal: true}, Count: 1},
	}
	if diff := cmp.Diff(want, stats.Transitions()); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
	m := stats.Measures(0, 0)
	if *m.Distance != 3 || *m.Final != 1 || m.DistanceOneSided != nil || m.StatesVisited != 4 || m.Truncated != 2 {
		t.Errorf("measures %+v, distance %d, final %d", m, *m.Distance, *m.Final)
	}
}

// TestForeignTransitions: statistics refuse transitions with states that do not exist, and
// any states if the actions determine them.
func TestForeignTransitions(t *testing.T) {
	world, plain := gridOf(t, map[string]int64{"slip": 1}, nil), gridOf(t, nil, nil)
	chunk := func(change func(*schema.Transitions)) *schema.Transitions {
		c := schema.Transitions{Arity: 4, Actions: []uint8{1}, Next: []uint32{1},
			Spans: []schema.Span{{Steps: 1, Option: schema.Primitive}}}
		change(&c)
		return &c
	}
	for name, tt := range map[string]struct {
		env   envs.Env
		chunk *schema.Transitions
	}{
		"no states":       {world, chunk(func(c *schema.Transitions) { c.Next = nil })},
		"states too many": {plain, chunk(func(*schema.Transitions) {})},
		"a state beyond":  {world, chunk(func(c *schema.Transitions) { c.Next[0] = 104 })},
		"an episode beyond": {world, chunk(func(c *schema.Transitions) {
			c.Episodes = []schema.Episode{{Step: 1,
				State: 104}}
		})},
		"an episode at first": {world, chunk(func(c *schema.Transitions) {
			c.Episodes = []schema.Episode{{Step: 0,
				State: 1}}
		})},
	} {
		if err := collect.NewTransitionStats(tt.env, collect.OptionSet{}, 0).Add(tt.chunk); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestStochasticModel: a policy's expected q agrees with a simulation of the model in
// every state, and every option of a slippery environment is proved to terminate.
func TestStochasticModel(t *testing.T) {
	env := gridOf(t, map[string]int64{"slip": 300}, map[string]string{"map": "open", "observe": "real"})
	spec := pod.PaperSpec()
	l := learn.NewModelLearner(env, spec)
	p := schema.Purpose{J: 1, Sign: 1, Sigma: 2, Vector: []float64{0.6, -0.8}}
	o, v, err := l.Learn(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if o.Certificate.Termination != schema.Proved || o.Certificate.Acyclic || o.Certificate.Initiation == 0 {
		t.Errorf("certificate %+v", o.Certificate)
	}
	q, m, w := learn.ActionValues(env, p.Vector, v, spec.Gamma), env.Model(), make([]float64, env.States())
	env.Potential(p.Vector, w)
	for s := range m.States {
		for a := range m.Actions {
			want, total := 0.0, 0.0
			for other := range m.Actions {
				chance := 0.3 / 4
				if other == a {
					chance += 0.7
				}
				n := env.Step(s, other)
				want += chance * (w[n] - w[s] + spec.Gamma*v.(schema.Value)[n])
				total += chance
			}
			if math.Abs(q[s*m.Actions+a]-want) > 1e-12 {
				t.Fatalf("q(%d,%d) is %v, want %v (chances %v)", s, a, q[s*m.Actions+a], want, total)
			}
		}
	}
}
