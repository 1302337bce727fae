package external

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// Bounds of what the programs of stages are asked in a check.
const (
	sampleIterations = 2 // the first without options, the second with those of the first
	samplePurposes   = 4 // of each iteration
)

// stageSample is what the stages of an iteration are given: what built-in ones made of its transitions.
type stageSample struct {
	spec     schema.Spec // with the declarations
	k        int
	env      envs.Env
	options  collect.OptionSet
	before   int // the state in which the iteration before ended
	stats    *collect.TransitionStats
	data     linalg.Dataset
	factors  schema.Factors
	purposes []schema.Purpose
	measures schema.Measures
}

// builtinSpec returns the spec with built-in stages in place of external ones, which learn the same from the same.
func builtinSpec(spec schema.Spec) schema.Spec {
	learner := spec.Stages.Of(schema.LearnerStage)
	for _, stage := range spec.Stages.Names() {
		spec.SetStage(stage, nil)
	}
	if spec.Select == "" {
		spec.Select = "top=3"
	}
	switch {
	case learner == nil:
	case learner.Learns == schema.LearnsWeights:
		spec.Learner = schema.LSPI
	case learner.Model == schema.OnObservedModel:
		spec.Learner = schema.Empirical
	default:
		spec.Learner = schema.Sweeps
	}
	return spec
}

// newSamples returns the samples of the first iterations. Their steps are those of compute or, if that is nil, of the
// built-in policy.
func newSamples(ctx context.Context, spec schema.Spec, compute pod.CollectFunc) (samples []*stageSample, err error) {
	env, err := pod.NewEnvForSpec(spec)
	if err == nil {
		err = envs.BuildModel(ctx, env)
	}
	if err != nil {
		return nil, err
	}
	var options collect.OptionSet
	state := envs.StartState(env)
	for k := range sampleIterations {
		x := &stageSample{spec: spec, k: k, env: env, options: options, before: state}
		learned, err := x.fill(ctx, compute)
		if err != nil {
			return samples, fmt.Errorf("iteration %d: %w", k, err)
		}
		samples = append(samples, x)
		options = collect.OptionSet{Options: learned}
		state = x.stats.State()
	}
	return samples, nil
}

// fill takes the iteration's steps, and returns the options that built-in stages make of them.
func (x *stageSample) fill(ctx context.Context, compute pod.CollectFunc) (learned []*schema.Option, err error) {
	chunk, err := x.walk(ctx, compute)
	if err != nil {
		return nil, err
	}
	spec := builtinSpec(x.spec)
	x.stats = collect.NewTransitionStats(x.env, x.options, int(chunk.Start))
	learn.KeepForLearner(x.stats, spec)
	x.stats.KeepTransitions()
	if spec.Sides == schema.OneSided {
		x.stats.CountVisits()
	}
	x.stats.LearnMatrix(spec, nil)
	if err := x.stats.Add(&chunk); err != nil {
		return nil, err
	}
	if x.data, err = x.stats.FactoredDataset(); err != nil {
		return nil, err
	}
	if x.factors, err = linalg.Factor(ctx, pod.FactoringOf(x.env, spec), x.data); err != nil {
		return nil, err
	}
	selected, err := selection.SelectDirections(x.env, spec, x.k, x.options, x.factors, x.stats)
	if err != nil {
		return nil, err
	}
	if x.purposes, err = selection.SelectedPurposes(spec, x.k, x.factors, selected); err != nil {
		return nil, err
	}
	x.purposes = x.purposes[:min(samplePurposes, len(x.purposes))]
	learner, err := learn.NewOptionLearner(x.env, spec, x.experience())
	if err != nil {
		return nil, err
	}
	for _, p := range x.purposes {
		o, _, err := learner.Learn(ctx, p)
		if err != nil {
			return nil, err
		}
		learned = append(learned, o)
	}
	x.measures = x.stats.Measures(len(schema.Unsigned(x.purposes)), len(learned))
	return learned, nil
}

func (x *stageSample) experience() learn.Experience {
	return learn.Experience{Transitions: x.stats.Transitions(), FirstChunk: x.stats.FirstChunk()}
}

// walk takes the steps of the iteration.
func (x *stageSample) walk(ctx context.Context, compute pod.CollectFunc) (chunk schema.Transitions, err error) {
	if compute != nil {
		return x.collect(ctx, compute)
	}
	agent := collect.Collector{Env: x.env, Options: x.options, State: x.before, Executing: schema.Primitive,
		Stream:            rng.NewStream(x.spec.Seed, x.k, collect.WalkStream),
		OptionProbability: x.spec.OptionProbability}
	if !envs.ActionsDetermineStates(x.env) {
		m, ok := envs.As[envs.ModelEnv](x.env)
		if !ok {
			return chunk, fmt.Errorf("environment %q: %w", x.spec.Env.Name, envs.ErrModel)
		}
		agent.Running = envs.NewRunningEnv(m, x.spec.Seed, x.k, x.before)
		if agent.State, err = agent.Running.Reset(ctx); err != nil {
			return chunk, err
		}
	}
	chunk = x.newChunk(agent.State)
	return chunk, agent.Collect(ctx, &chunk, int(x.spec.Steps))
}

// collect asks for the steps of the iteration, which are checked as those of a run are.
func (x *stageSample) collect(ctx context.Context, compute pod.CollectFunc) (chunk schema.Transitions, err error) {
	c := &pod.ExternalCollector{Spec: x.spec, K: x.k, Env: x.env, Options: x.options, State: x.before, Collect: compute}
	if x.spec.Env.HasReward() {
		c.Rewards = &schema.Rewards{}
	}
	start, err := c.Begin(ctx, int(x.spec.Steps))
	if err != nil {
		return chunk, err
	}
	chunk = x.newChunk(start)
	for left := x.spec.Steps; left > 0; left = x.spec.Steps - int64(len(chunk.Actions)) {
		if err := c.Append(ctx, &chunk, int(left)); err != nil {
			return chunk, err
		}
	}
	return chunk, nil
}

func (x *stageSample) newChunk(state int) schema.Transitions {
	chunk := schema.Transitions{Start: uint64(state), Arity: len(x.env.Actions())}
	if !envs.ActionsDetermineStates(x.env) {
		chunk.Next = []uint32{}
	}
	return chunk
}
