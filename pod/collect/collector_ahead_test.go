package collect_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// aheadEnv takes steps ahead, as many as it likes, and decides the steps of walks by an agent of its own. One of its
// batches fails.
type aheadEnv struct {
	envs.RunningEnv
	t     rapid.TB
	env   envs.Env
	sizes *rng.Stream
	fails int // batches until one fails
	ahead []takenStep
}

type takenStep struct {
	action int
	result envs.StepResult
}

func (a *aheadEnv) BatchSize() int { return 1 + a.sizes.Below(9) }

// begin begins a batch.
func (a *aheadEnv) begin() error {
	if len(a.ahead) > 0 {
		a.t.Fatal("steps are left")
	}
	if a.fails--; a.fails == 0 {
		return envs.ErrEnvFailed
	}
	return nil
}

func (a *aheadEnv) StepAhead(ctx context.Context, actions []uint8) (int, error) {
	if err := a.begin(); err != nil {
		return 0, err
	}
	n := 1 + a.sizes.Below(len(actions))
	for _, action := range actions[:n] {
		if _, err := a.take(ctx, int(action)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func (a *aheadEnv) take(ctx context.Context, action int) (envs.StepResult, error) {
	o, err := a.RunningEnv.Step(ctx, action)
	a.ahead = append(a.ahead, takenStep{action, o})
	return o, err
}

func (a *aheadEnv) WalkAhead(ctx context.Context, w collect.Walk) (int, error) {
	if err := a.begin(); err != nil {
		return 0, err
	}
	stream := w.Stream
	agent := collect.Collector{Env: a.env, Running: stepRecorder{a.RunningEnv, a}, Options: w.Options, Stream: &stream,
		State: w.State, Executing: w.Executing, StepsInCall: w.StepsInCall, OptionProbability: w.OptionProbability}
	n := a.sizes.Below(w.Steps + 1)
	return n, agent.Collect(ctx, &schema.Transitions{Arity: len(a.env.Actions()), Next: []uint32{}}, n)
}

// Step returns the result of a step that was taken ahead, which must be of the action that is asked for.
func (a *aheadEnv) Step(ctx context.Context, action int) (envs.StepResult, error) {
	if len(a.ahead) == 0 {
		return a.RunningEnv.Step(ctx, action)
	}
	first := a.ahead[0]
	if a.ahead = a.ahead[1:]; first.action != action {
		a.t.Fatalf("action %d was taken ahead, and %d is asked for", first.action, action)
	}
	return first.result, nil
}

// stepRecorder takes the steps of an environment ahead.
type stepRecorder struct {
	envs.RunningEnv
	env *aheadEnv
}

func (s stepRecorder) Step(ctx context.Context, a int) (envs.StepResult, error) {
	return s.env.take(ctx, a)
}

// TestCollectAhead: a walk does not depend on which of its steps the environment takes ahead, nor on a batch that
// fails, before which it goes on.
func TestCollectAhead(t *testing.T) {
	env, all := stochasticSetup(t)
	rapid.Check(t, func(t *rapid.T) {
		options := collect.OptionSet{Options: all[:rapid.IntRange(0, len(all)).Draw(t, "options")]}
		probability := rapid.SampledFrom([]float64{0, 0.4}).Draw(t, "probability")
		behaviour := rapid.SampledFrom([]schema.Behaviour{"", "", "zeta=2", "geometric=3"}).Draw(t, "behaviour")
		steps, seed := rapid.IntRange(1, 80).Draw(t, "steps"), rapid.Uint64().Draw(t, "seed")
		begin := func(running envs.RunningEnv) (*collect.Collector, *schema.Transitions) {
			return &collect.Collector{Env: env, Running: running, Options: options, OptionProbability: probability,
					Stream: rng.NewStream(seed, 0, collect.WalkStream), State: env.Start(), Executing: schema.Primitive,
					Persistence: collect.NewPersistence(behaviour)},
				&schema.Transitions{Start: uint64(env.Start()), Arity: 4, Next: []uint32{}}
		}
		want, wantSteps := begin(envs.NewRunningEnv(env, seed, 0, env.Start()))
		if err := want.Collect(t.Context(), wantSteps, steps); err != nil {
			t.Fatal(err)
		}
		ahead := &aheadEnv{RunningEnv: envs.NewRunningEnv(env, seed, 0, env.Start()), t: t, env: env,
			sizes: rng.NewStream(seed, 1, "sizes"), fails: rapid.IntRange(0, 9).Draw(t, "fails")}
		got, gotSteps := begin(ahead)
		for len(gotSteps.Actions) < steps {
			n := min(1+ahead.sizes.Below(40), steps-len(gotSteps.Actions))
			if err := got.Collect(t.Context(), gotSteps, n); err != nil && !errors.Is(err, envs.ErrEnvFailed) {
				t.Fatal(err)
			}
			if len(ahead.ahead) > 0 {
				t.Fatalf("%d steps that were taken ahead are left", len(ahead.ahead))
			}
		}
		if diff := cmp.Diff(wantSteps, gotSteps); diff != "" {
			t.Fatalf("(-alone +ahead):\n%s", diff)
		}
		if got.State != want.State || got.Executing != want.Executing || got.StepsInCall != want.StepsInCall ||
			!bytes.Equal(position(t, got.Stream), position(t, want.Stream)) {
			t.Fatal("the agents differ")
		}
	})
}

// failingEnv is a running environment that fails once, at one step.
type failingEnv struct {
	envs.RunningEnv
	left int
}

func (f *failingEnv) Step(ctx context.Context, a int) (envs.StepResult, error) {
	if f.left--; f.left == 0 {
		return envs.StepResult{}, envs.ErrEnvFailed
	}
	return f.RunningEnv.Step(ctx, a)
}

// TestCollectAfterFailure: after a failure of the environment the agent is as before the
// decision that failed, and continues with the same walk.
func TestCollectAfterFailure(t *testing.T) {
	const steps = 60
	env, options := stochasticSetup(t)
	for _, b := range []schema.Behaviour{schema.Uniform, "zeta=2", "geometric=3"} {
		want := walk(t, env, options, b, steps, 0)
		for at := 1; at <= steps; at++ {
			if diff := cmp.Diff(want, walk(t, env, options, b, steps, at)); diff != "" {
				t.Fatalf("%q: after a failure at step %d: %s", b, at, diff)
			}
		}
	}
}

// stochasticSetup returns a slippery environment and options that are called often.
func stochasticSetup(t *testing.T) (envs.SimulatedEnv, []*schema.Option) {
	t.Helper()
	e, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	e.Text["map"], e.Params["slip"] = "open", 200
	env := podtest.Simulated(t, e)
	var options []*schema.Option
	for a := range int8(4) {
		o := &schema.Option{Arity: 4, Policy: slices.Repeat([]int8{a}, env.States()),
			Certificate: schema.Certificate{MaxSteps: int64(a) + 1}}
		options = append(options, o)
	}
	return env, options
}

// walk returns what an agent does in a world that fails at a step, 0 for never, and then
// goes on.
func walk(t *testing.T, env envs.SimulatedEnv, options []*schema.Option, b schema.Behaviour, steps, at int,
) schema.Transitions {
	t.Helper()
	world := &failingEnv{envs.NewRunningEnv(env, 1, 0, env.Start()), at}
	c := collect.Collector{Env: env, Running: world, Options: collect.OptionSet{Options: options},
		Stream: rng.NewStream(1, 0, collect.WalkStream), State: env.Start(), Executing: schema.Primitive,
		Persistence: collect.NewPersistence(b)}
	chunk := schema.Transitions{Start: uint64(env.Start()), Arity: 4, Next: []uint32{}}
	err := c.Collect(context.Background(), &chunk, steps)
	if at > 0 && !errors.Is(err, envs.ErrEnvFailed) || at == 0 && err != nil {
		t.Fatal(err)
	}
	if _, err := chunk.Encode(); err != nil {
		t.Fatal(err)
	}
	if err := c.Collect(context.Background(), &chunk, steps-len(chunk.Actions)); err != nil {
		t.Fatal(err)
	}
	return chunk
}
