package pod_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// aheadEnv takes steps ahead, as many as it likes, and decides the steps of walks by an agent of its own. One of its
// batches fails.
type aheadEnv struct {
	pod.RunningEnv
	t     rapid.TB
	env   pod.Env
	sizes *pod.Stream
	fails int // batches until one fails
	ahead []takenStep
}

type takenStep struct {
	action int
	result pod.StepResult
}

func (e *aheadEnv) BatchSize() int { return 1 + e.sizes.Below(9) }

// begin begins a batch.
func (e *aheadEnv) begin() error {
	if len(e.ahead) > 0 {
		e.t.Fatal("steps are left")
	}
	if e.fails--; e.fails == 0 {
		return pod.ErrEnvFailed
	}
	return nil
}

func (e *aheadEnv) StepAhead(ctx context.Context, actions []uint8) (int, error) {
	if err := e.begin(); err != nil {
		return 0, err
	}
	n := 1 + e.sizes.Below(len(actions))
	for _, a := range actions[:n] {
		if _, err := e.take(ctx, int(a)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func (e *aheadEnv) take(ctx context.Context, a int) (pod.StepResult, error) {
	o, err := e.RunningEnv.Step(ctx, a)
	e.ahead = append(e.ahead, takenStep{a, o})
	return o, err
}

func (e *aheadEnv) WalkAhead(ctx context.Context, w pod.Walk) (int, error) {
	if err := e.begin(); err != nil {
		return 0, err
	}
	stream := w.Stream
	agent := pod.Collector{Env: e.env, Running: stepRecorder{e.RunningEnv, e}, Options: w.Options, Stream: &stream,
		State: w.State, Executing: w.Executing, StepsInCall: w.StepsInCall, OptionProbability: w.OptionProbability}
	n := e.sizes.Below(w.Steps + 1)
	return n, agent.Collect(ctx, &schema.Transitions{Arity: len(e.env.Actions()), Next: []uint32{}}, n)
}

// Step returns the result of a step that was taken ahead, which must be of the action that is asked for.
func (e *aheadEnv) Step(ctx context.Context, a int) (pod.StepResult, error) {
	if len(e.ahead) == 0 {
		return e.RunningEnv.Step(ctx, a)
	}
	first := e.ahead[0]
	if e.ahead = e.ahead[1:]; first.action != a {
		e.t.Fatalf("action %d was taken ahead, and %d is asked for", first.action, a)
	}
	return first.result, nil
}

// stepRecorder takes the steps of an environment ahead.
type stepRecorder struct {
	pod.RunningEnv
	env *aheadEnv
}

func (r stepRecorder) Step(ctx context.Context, a int) (pod.StepResult, error) {
	return r.env.take(ctx, a)
}

// TestCollectAhead: a walk does not depend on which of its steps the environment takes ahead, nor on a batch that
// fails, before which it goes on.
func TestCollectAhead(t *testing.T) {
	env, all := stochasticSetup(t)
	rapid.Check(t, func(t *rapid.T) {
		options := pod.OptionSet{Options: all[:rapid.IntRange(0, len(all)).Draw(t, "options")]}
		probability := rapid.SampledFrom([]float64{0, 0.4}).Draw(t, "probability")
		steps, seed := rapid.IntRange(1, 80).Draw(t, "steps"), rapid.Uint64().Draw(t, "seed")
		begin := func(running pod.RunningEnv) (*pod.Collector, *schema.Transitions) {
			return &pod.Collector{Env: env, Running: running, Options: options, OptionProbability: probability,
					Stream: pod.NewStream(seed, 0, pod.WalkStream), State: env.Start(), Executing: schema.Primitive},
				&schema.Transitions{Start: uint64(env.Start()), Arity: 4, Next: []uint32{}}
		}
		want, wantSteps := begin(pod.NewRunningEnv(env, seed, 0, env.Start()))
		if err := want.Collect(t.Context(), wantSteps, steps); err != nil {
			t.Fatal(err)
		}
		ahead := &aheadEnv{RunningEnv: pod.NewRunningEnv(env, seed, 0, env.Start()), t: t, env: env,
			sizes: pod.NewStream(seed, 1, "sizes"), fails: rapid.IntRange(0, 9).Draw(t, "fails")}
		got, gotSteps := begin(ahead)
		for len(gotSteps.Actions) < steps {
			n := min(1+ahead.sizes.Below(40), steps-len(gotSteps.Actions))
			if err := got.Collect(t.Context(), gotSteps, n); err != nil && !errors.Is(err, pod.ErrEnvFailed) {
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
