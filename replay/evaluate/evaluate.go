package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// maxCurves limits the record, in episodes of all tasks, arms and seeds.
const maxCurves = 1 << 26

// Evaluate trains an agent once for each of the spec's tasks, arms and seeds. It writes nothing.
// show is called with the number of finished trainings and may be nil.
func (s *Subject) Evaluate(
	ctx context.Context, spec evaluation.Spec, show func(done, total int),
) (evaluation.Record, error) {
	return s.evaluateRest(ctx, spec, nil, nil, show)
}

// evaluateRest trains agents for the tasks whose steps are not in known. It calls done, if not nil, with each finished
// task, from any goroutine.
func (s *Subject) evaluateRest(
	ctx context.Context, spec evaluation.Spec, known map[int][]uint32,
	done func(task int, steps []uint32) error, show func(done, total int),
) (evaluation.Record, error) {
	e := evaluation.Record{Link: s.Link, Spec: spec, Options: len(s.Options)}
	j, err := s.prepare(ctx, spec)
	if err != nil {
		return e, err
	}
	each := len(j.arms) * len(spec.Seeds)
	e.Steps = make([]uint32, len(j.tasks)*each*spec.Episodes)
	if spec.Reward {
		e.Returns = make([]float64, len(e.Steps))
	}
	var finished atomic.Int64
	count := func(n int) {
		if all := int(finished.Add(int64(n))); show != nil && all > 0 {
			show(all, len(j.tasks)*each)
		}
	}
	g, working := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range j.tasks {
		if working.Err() != nil {
			break
		}
		steps := e.Steps[i*each*spec.Episodes : (i+1)*each*spec.Episodes]
		if before, ok := known[i]; ok {
			copy(steps, before)
			count(each)
			continue
		}
		task, err := s.newTask(ctx, spec, t)
		if err != nil {
			g.Go(func() error { return err })
			break
		}
		left := new(atomic.Int64)
		left.Store(int64(each))
		for part := range each {
			g.Go(func() (err error) {
				defer envs.CatchEnvPanic(&err)
				arm, seed := j.arms[part/len(spec.Seeds)], spec.Seeds[part%len(spec.Seeds)]
				curve, err := j.train(working, task, arm, seed)
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", arm, seed, err)
				}
				copy(steps[part*spec.Episodes:], curve.Steps)
				if e.Returns != nil {
					copy(e.Returns[part*spec.Episodes:], curve.Returns) // with rewards there is only one task
				}
				count(1)
				if left.Add(-1) == 0 && done != nil {
					return done(i, steps)
				}
				return nil
			})
		}
	}
	return e, cmp.Or(g.Wait(), ctx.Err())
}

// ongoing is an evaluation in progress.
type ongoing struct {
	*Subject
	spec  evaluation.Spec
	sets  *actionSets
	tasks []evaluation.TaskStates
	arms  []string
}

func (s *Subject) prepare(ctx context.Context, spec evaluation.Spec) (j ongoing, err error) {
	if err := spec.Validate(); err != nil {
		return j, err
	}
	if err := s.checkModel(spec); err != nil {
		return j, err
	}
	if len(s.Options) == 0 {
		return j, schema.Advise(fmt.Errorf("iteration %d of run %.7s has no options to evaluate: %w", s.K, s.Run.ID,
			schema.ErrSpec), AdviceOtherIteration, s.Run.ID)
	}
	if err := checkSize(spec, len(s.Options)); err != nil {
		return j, err
	}
	j = ongoing{Subject: s, spec: spec, arms: spec.Arms(), tasks: spec.AllTasks()}
	if j.sets, err = s.newActionSets(ctx, spec); err != nil {
		return j, err
	}
	_, err = s.newTask(ctx, spec, j.tasks[0])
	return j, err
}

// checkSize returns an error for an evaluation of too many options or episodes.
func checkSize(spec evaluation.Spec, options int) error {
	if options > evaluation.MaxOptions {
		return schema.Hint(fmt.Errorf("%d options: %w", options, schema.ErrSpec),
			"evaluate those of one iteration; an evaluation has up to %d", evaluation.MaxOptions)
	}
	arms := len(spec.AllTasks()) * len(spec.Arms())
	if n := int64(arms) * int64(len(spec.Seeds)) * int64(spec.Episodes); n > maxCurves {
		return schema.Hint(fmt.Errorf("%d episodes in all: %w", n, schema.ErrSpec),
			"use fewer tasks, seeds or episodes; an evaluation has up to %d in all", maxCurves)
	}
	return nil
}

// CheckTask returns an error if the first task of a spec is not a valid task in the subject's environment.
func (s *Subject) CheckTask(ctx context.Context, spec evaluation.Spec) error {
	_, err := s.newTask(ctx, spec, spec.AllTasks()[0])
	return err
}

// newTask returns a task of a spec in the subject's environment, which has a model.
func (s *Subject) newTask(ctx context.Context, spec evaluation.Spec, t evaluation.TaskStates) (task.Task, error) {
	if spec.Reward {
		m, err := s.RewardModel(ctx)
		if err != nil {
			return task.Task{}, err
		}
		return task.NewRewardTask(m, t.Start, spec.Gamma, spec.Limit)
	}
	env, ok := envs.As[envs.ModelEnv](s.Env)
	if !ok {
		return task.Task{}, envs.ErrModel
	}
	return task.NewTask(env.Model(), t.Goal, t.Start, spec.Gamma, spec.Limit)
}

func (o ongoing) train(ctx context.Context, goal task.Task, arm string, seed uint64) (task.Curve, error) {
	set, err := o.sets.of(ctx, arm, seed)
	if err != nil {
		return task.Curve{}, err
	}
	how := task.Training{
		Algorithm: o.spec.Algorithm, Interrupt: o.spec.Interrupt, Alpha: o.spec.Alpha, Epsilon: o.spec.Epsilon,
	}
	if o.spec.Algorithm != evaluation.Published {
		how.GreedyFrom = o.spec.Episodes - o.spec.LateEpisodes()
		if how.GreedyFrom == 0 {
			how.Epsilon = 0 // every episode is as the late ones: without exploration
		}
	}
	return task.Train(ctx, set, goal, how, o.spec.Episodes, rng.NewStream(seed, 0, task.TrainingStream))
}
