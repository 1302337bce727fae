package evaluate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// randomStream names the stream from which random options are drawn.
const randomStream = "random-options"

// maxCurves limits the record, in episodes of all arms and seeds.
const maxCurves = 1 << 26

// Evaluate trains an agent on the spec's task once for each arm and seed. It writes nothing. show
// is called with the number of finished trainings and may be nil.
func (s *Subject) Evaluate(
	ctx context.Context, spec schema.EvaluationSpec, show func(done, total int),
) (schema.Evaluation, error) {
	e := schema.Evaluation{Link: s.Link, Spec: spec, Options: len(s.Options)}
	j, err := s.prepare(spec)
	if err != nil {
		return e, err
	}
	e.Steps = make([]uint32, len(j.arms)*len(spec.Seeds)*spec.Episodes)
	var done atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	total := len(j.arms) * len(spec.Seeds)
	for i := range total {
		g.Go(func() error {
			arm, seed := i/len(spec.Seeds), i%len(spec.Seeds)
			curve, err := j.train(ctx, j.arms[arm], spec.Seeds[seed])
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", j.arms[arm].Name, spec.Seeds[seed], err)
			}
			copy(e.Curve(arm, seed), curve)
			if n := int(done.Add(1)); show != nil {
				show(n, total)
			}
			return nil
		})
	}
	return e, g.Wait()
}

// evaluation is an evaluation in progress.
type evaluation struct {
	*Subject
	spec schema.EvaluationSpec
	set  pod.ActionSet
	task pod.Task
	arms []schema.Arm
	env  pod.ModelEnv
}

func (s *Subject) prepare(spec schema.EvaluationSpec) (j evaluation, err error) {
	if err := spec.Validate(); err != nil {
		return j, err
	}
	if len(s.Options) == 0 {
		return j, schema.Advise(fmt.Errorf("iteration %d of run %.7s has no options to evaluate: %w", s.K, s.Run.ID,
			schema.ErrSpec), AdviceOtherIteration, s.Run.ID)
	}
	if len(s.Options) > schema.MaxArms-len(schema.Baselines)-1 {
		return j, schema.Hint(fmt.Errorf("%d options: %w", len(s.Options), schema.ErrSpec),
			"evaluate those of one iteration")
	}
	j = evaluation{Subject: s, spec: spec, arms: spec.Arms(len(s.Options))}
	if n := len(j.arms) * len(spec.Seeds) * spec.Episodes; n > maxCurves {
		return j, schema.Hint(fmt.Errorf("%d episodes in all: %w", n, schema.ErrSpec),
			"use fewer seeds or episodes; an evaluation has up to %d in all", maxCurves)
	}
	if j.set, err = pod.NewActionSet(s.Env, s.Options); err != nil {
		return j, err
	}
	j.env, _ = pod.As[pod.ModelEnv](s.Env) // the action set has its model
	j.task, err = pod.NewTask(j.set.Model, spec.Goal, spec.Start, spec.Gamma, spec.Limit)
	return j, err
}

func (j evaluation) train(ctx context.Context, arm schema.Arm, seed uint64) ([]uint32, error) {
	set, err := j.actionSet(ctx, arm, seed)
	if err != nil {
		return nil, err
	}
	how := pod.Training{
		Algorithm: j.spec.Algorithm, Interrupt: j.spec.Interrupt, Alpha: j.spec.Alpha, Epsilon: j.spec.Epsilon,
	}
	return pod.Train(ctx, set, j.task, how, j.spec.Episodes, pod.NewStream(seed, 0, pod.TrainingStream))
}

// actionSet returns an arm's action set.
func (j evaluation) actionSet(ctx context.Context, arm schema.Arm, seed uint64) (set pod.ActionSet, err error) {
	set = j.set
	switch {
	case arm.Without != nil:
		set.Options = slices.Delete(slices.Clone(set.Options), *arm.Without, *arm.Without+1)
	case arm.Name == schema.AgainstPrimitives:
		set.Options = nil
	case arm.Name == schema.AgainstRandom:
		set.Options, err = pod.RandomOptions(ctx, j.env, j.Run.SpecAt(j.K), len(j.Options),
			pod.NewStream(seed, 0, randomStream))
	}
	return set, err
}
