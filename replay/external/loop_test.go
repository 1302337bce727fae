package external

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLoop checks environments on top of adapter/loop.py, with observations of each kind: the same is observed with
// and without extensions.
func TestLoop(t *testing.T) {
	schematest.NeedsPrograms(t, "python3")
	path, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range schematest.Sample([]string{"breakout", "lake", "cart"}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Command{Words: []string{"python3", filepath.Join("testdata", "environments.py"), name}, Timeout: time.Minute,
				Vars: []string{"PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1"}}
			env, err := c.queryEnv(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			plain := c
			plain.Extensions = []string{}
			if a, b := walkOf(t, c, env, true), walkOf(t, plain, env, false); !slices.Equal(a, b) {
				t.Errorf("without extensions the same actions lead elsewhere: %v, %v", a, b)
			}
		})
	}
}

// walkOf returns the outcomes of 400 random actions.
func walkOf(t *testing.T, c Command, env schema.Env, extended bool) (outcomes []envs.StepResult) {
	t.Helper()
	built, err := envs.NewEnv(env)
	if err != nil {
		t.Fatal(err)
	}
	growing, _ := envs.As[envs.GrowingEnv](built)
	w, err := c.open(t.Context(), env, growing.Observed())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if (len(w.abilities.extensions) > 0) != extended {
		t.Errorf("extensions %v", w.abilities.extensions)
	}
	w.seed = 3
	if _, err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream, actions := rng.NewStream(3, 0, collect.WalkStream), make([]uint8, 400)
	for i := range actions {
		actions[i] = uint8(stream.Below(len(env.External.Actions)))
	}
	if _, err := collect.TakeSteps(t.Context(), w, actions, func(_ int, o envs.StepResult) error {
		outcomes = append(outcomes, o)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// TestWalkByWeights walks by weights of several sizes. The agent compares each action with its own.
func TestWalkByWeights(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "python3")
	p := NewProgram(Command{Words: []string{"python3", filepath.Join("testdata", "environments.py"), "cart"},
		Timeout: time.Minute, Vars: []string{"PYTHONPATH=" + mustAbs(t, "."), "PYTHONDONTWRITEBYTECODE=1"}})
	declared, err := p.QueryEnv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream, inf := rng.NewStream(0, 0, "test"), math.MaxFloat64
	sizes := [][]float64{{-1, 0.25, 1}, {0, inf, -inf, 1}, {0}}
	for i, values := range schematest.Sample(sizes) {
		env, err := envs.NewEnv(declared)
		if err != nil {
			t.Fatal(err)
		}
		agent := collect.Collector{Env: env, Executing: schema.Primitive, OptionProbability: []float64{0, 0.7}[i%2]}
		for n := range 5 {
			theta := schema.NewTheta(2, 4)
			for j := range theta.Weights {
				theta.Weights[j] = values[stream.Below(len(values))]
			}
			agent.Options.Options = append(agent.Options.Options, &schema.Option{Arity: 2, Theta: &theta,
				Certificate: schema.Certificate{Tolerance: []float64{0, 1e-9, 0.3}[n%3], MaxSteps: int64(10 * (n % 2))}})
		}
		agent.Options.LeaveOut = []uint64{3}
		w, err := p.Launch(t.Context(), declared, env.(envs.GrowingEnv).Observed(), 0, i)
		if err != nil {
			t.Fatal(err)
		}
		agent.Running, agent.Stream = w, rng.NewStream(0, i, collect.WalkStream)
		if agent.State, err = w.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps := schema.Transitions{Arity: 2, Next: []uint32{}}
		for err == nil && len(steps.Actions) < 1000 {
			err = agent.Collect(t.Context(), &steps, 500)
		}
		if err != nil {
			t.Errorf("weights of %v: %v", values, err)
		}
		if r := w.(*runningEnv); i == 0 && r.process.id > 100 {
			t.Errorf("%d exchanges for %d steps", r.process.id, len(steps.Actions))
		}
		if r := w.(*runningEnv); !r.policies.byWeights {
			t.Errorf("weights of %v were not sent", values)
		}
		_ = w.(*runningEnv).Close()
	}
}

// queryEnv returns the environment that the program declares.
func (c Command) queryEnv(ctx context.Context) (schema.Env, error) {
	d, err := c.declare(ctx)
	return d.env, err
}
