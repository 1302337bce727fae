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

// Bounds of the requests in a check of stages.
const (
	sampleIterations = 2 // the first without options, the second with those of the first
	samplePurposes   = 4 // of each iteration
)

// stageSample holds the input of an iteration's stages, computed by built-in stages from its transitions.
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

// builtinSpec returns the spec with built-in stages in place of external ones. Its learner learns values or weights,
// from the model or from experience, like the external one.
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

// fill takes the iteration's steps, and returns the options that built-in stages learn from them.
func (s *stageSample) fill(ctx context.Context, compute pod.CollectFunc) (learned []*schema.Option, err error) {
	chunk, err := s.walk(ctx, compute)
	if err != nil {
		return nil, err
	}
	spec := builtinSpec(s.spec)
	s.stats = collect.NewTransitionStats(s.env, s.options, int(chunk.Start))
	learn.KeepForLearner(s.stats, spec)
	s.stats.KeepTransitions()
	if spec.Sides == schema.OneSided {
		s.stats.CountVisits()
	}
	s.stats.LearnMatrix(spec, nil)
	if err := s.stats.Add(&chunk); err != nil {
		return nil, err
	}
	if err := s.stats.EndMatrix(ctx); err != nil {
		return nil, err
	}
	if s.data, err = s.stats.FactoredDataset(); err != nil {
		return nil, err
	}
	if s.factors, err = linalg.Factor(ctx, pod.FactoringOf(s.env, spec), s.data); err != nil {
		return nil, err
	}
	selected, err := selection.SelectDirections(ctx, s.env, spec, s.k, s.options, s.factors, s.stats)
	if err != nil {
		return nil, err
	}
	if s.purposes, err = selection.SelectedPurposes(spec, s.k, s.factors, selected); err != nil {
		return nil, err
	}
	s.purposes = s.purposes[:min(samplePurposes, len(s.purposes))]
	learner, err := learn.NewOptionLearner(s.env, spec, s.experience())
	if err != nil {
		return nil, err
	}
	for _, p := range s.purposes {
		o, _, err := learner.Learn(ctx, p)
		if err != nil {
			return nil, err
		}
		learned = append(learned, o)
	}
	s.measures = s.stats.Measures(len(schema.Unsigned(s.purposes)), len(learned))
	return learned, nil
}

func (s *stageSample) experience() learn.Experience {
	return learn.Experience{Transitions: s.stats.Transitions(), FirstChunk: s.stats.FirstChunk()}
}

// walk takes the steps of the iteration.
func (s *stageSample) walk(ctx context.Context, compute pod.CollectFunc) (chunk schema.Transitions, err error) {
	if compute != nil {
		return s.collect(ctx, compute)
	}
	agent := collect.Collector{Env: s.env, Options: s.options, State: s.before, Executing: schema.Primitive,
		Stream:            rng.NewStream(s.spec.Seed, s.k, collect.WalkStream),
		OptionProbability: s.spec.OptionProbability, Persistence: collect.NewPersistence(s.spec.Behaviour)}
	if !envs.ActionsDetermineStates(s.env) {
		m, ok := envs.As[envs.ModelEnv](s.env)
		if !ok {
			return chunk, fmt.Errorf("environment %q: %w", s.spec.Env.Name, envs.ErrModel)
		}
		agent.Running = envs.NewRunningEnv(m, s.spec.Seed, s.k, s.before)
		if agent.State, err = agent.Running.Reset(ctx); err != nil {
			return chunk, err
		}
	}
	chunk = s.newChunk(agent.State)
	return chunk, agent.Collect(ctx, &chunk, int(s.spec.Steps))
}

// collect asks for the steps of the iteration, which are checked as those of a run are.
func (s *stageSample) collect(ctx context.Context, compute pod.CollectFunc) (chunk schema.Transitions, err error) {
	c := &pod.ExternalCollector{Spec: s.spec, K: s.k, Env: s.env, Options: s.options, State: s.before, Collect: compute}
	if s.spec.Env.HasReward() {
		c.Rewards = &schema.Rewards{}
	}
	start, err := c.Begin(ctx, int(s.spec.Steps))
	if err != nil {
		return chunk, err
	}
	chunk = s.newChunk(start)
	for left := s.spec.Steps; left > 0; left = s.spec.Steps - int64(len(chunk.Actions)) {
		if err := c.Append(ctx, &chunk, int(left)); err != nil {
			return chunk, err
		}
	}
	return chunk, nil
}

func (s *stageSample) newChunk(state int) schema.Transitions {
	chunk := schema.Transitions{Start: uint64(state), Arity: len(s.env.Actions())}
	if !envs.ActionsDetermineStates(s.env) {
		chunk.Next = []uint32{}
	}
	return chunk
}
