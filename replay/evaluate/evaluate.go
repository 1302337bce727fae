package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// AdviceOtherIteration is the advice of an iteration without options.
const AdviceOtherIteration = "choose an iteration of run %.7s with options; a smaller kappa makes more"

// Limits of an evaluation.
const (
	maxCurves  = 1 << 26 // episodes of all tasks, arms and seeds
	maxOptions = 1<<16 - 3
)

// A Result is the performance of an iteration's options on one or many tasks.
type Result struct {
	Spec  task.Spec
	Steps []uint32 // by task, arm, seed and episode; 0 if the goal was not reached
}

// Curve returns the steps of an arm's episodes with the i-th seed, in the first task.
func (r Result) Curve(arm, i int) []uint32 {
	at := (arm*len(r.Spec.Seeds) + i) * r.Spec.Episodes
	return r.Steps[at : at+r.Spec.Episodes]
}

// Task returns the result of the i-th task alone.
func (r Result) Task(i int) Result {
	n := len(r.Spec.Arms()) * len(r.Spec.Seeds) * r.Spec.Episodes
	return Result{Spec: r.Spec.Of(r.Spec.AllTasks()[i]), Steps: r.Steps[i*n : (i+1)*n]}
}

// Evaluate trains an agent once for each of the spec's tasks, arms and seeds. It calls show, which may be nil, with the
// number of finished trainings.
func (s *Subject) Evaluate(ctx context.Context, spec task.Spec, show func(done, total int)) (Result, error) {
	e := Result{Spec: spec}
	j, err := s.prepare(spec)
	if err != nil {
		return e, err
	}
	each := len(j.arms) * len(spec.Seeds)
	e.Steps = make([]uint32, len(j.tasks)*each*spec.Episodes)
	var finished atomic.Int64
	g, working := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range j.tasks {
		if working.Err() != nil {
			break
		}
		goal, err := s.newTask(spec, t)
		if err != nil {
			g.Go(func() error { return err })
			break
		}
		steps := e.Steps[i*each*spec.Episodes : (i+1)*each*spec.Episodes]
		for part := range each {
			g.Go(func() (err error) {
				defer envs.CatchEnvPanic(&err)
				arm, seed := j.arms[part/len(spec.Seeds)], spec.Seeds[part%len(spec.Seeds)]
				curve, err := j.train(working, goal, arm, seed)
				if err != nil {
					return fmt.Errorf("%s, seed %d: %w", arm, seed, err)
				}
				copy(steps[part*spec.Episodes:], curve)
				if n := finished.Add(1); show != nil {
					show(int(n), len(j.tasks)*each)
				}
				return nil
			})
		}
	}
	return e, cmp.Or(g.Wait(), ctx.Err())
}

// ongoing is an evaluation in progress.
type ongoing struct {
	spec  task.Spec
	sets  *actionSets
	tasks []task.TaskStates
	arms  []string
}

func (s *Subject) prepare(spec task.Spec) (j ongoing, err error) {
	if err := spec.Validate(); err != nil {
		return j, err
	}
	if len(s.Options) == 0 {
		return j, schema.Hint(fmt.Errorf("iteration %d of run %.7s has no options to evaluate: %w", s.K, s.Run.ID,
			schema.ErrSpec), AdviceOtherIteration, s.Run.ID)
	}
	if err := checkSize(spec, len(s.Options)); err != nil {
		return j, err
	}
	j = ongoing{spec: spec, arms: spec.Arms(), tasks: spec.AllTasks()}
	if j.sets, err = s.newActionSets(spec); err != nil {
		return j, err
	}
	return j, s.CheckTask(spec)
}

func checkSize(spec task.Spec, options int) error {
	if options > maxOptions {
		return schema.Hint(fmt.Errorf("%d options: %w", options, schema.ErrSpec),
			"evaluate those of one iteration; an evaluation has up to %d", maxOptions)
	}
	arms := len(spec.AllTasks()) * len(spec.Arms())
	if n := int64(arms) * int64(len(spec.Seeds)) * int64(spec.Episodes); n > maxCurves {
		return schema.Hint(fmt.Errorf("%d episodes in all: %w", n, schema.ErrSpec),
			"use fewer tasks, seeds or episodes; an evaluation has up to %d in all", maxCurves)
	}
	return nil
}

// CheckTask returns an error if the first task of a spec is not a valid task in the subject's environment.
func (s *Subject) CheckTask(spec task.Spec) error {
	_, err := s.newTask(spec, spec.AllTasks()[0])
	return err
}

// newTask returns a task of a spec in the subject's environment, which has a model.
func (s *Subject) newTask(spec task.Spec, t task.TaskStates) (task.Task, error) {
	m, err := modelOf(s.Env)
	if err != nil {
		return task.Task{}, err
	}
	return task.NewTask(m, t.Goal, t.Start, spec.Gamma, spec.Limit)
}

func (o ongoing) train(ctx context.Context, goal task.Task, arm string, seed uint64) ([]uint32, error) {
	set, err := o.sets.of(ctx, arm, seed)
	if err != nil {
		return nil, err
	}
	how := task.Training{
		Algorithm: o.spec.Algorithm, Interrupt: o.spec.Interrupt, Alpha: o.spec.Alpha, Epsilon: o.spec.Epsilon,
	}
	if o.spec.Algorithm != task.Published {
		how.GreedyFrom = o.spec.Episodes - o.spec.LateEpisodes()
		if how.GreedyFrom == 0 {
			how.Epsilon = 0 // every episode is as the late ones: without exploration
		}
	}
	return task.Train(ctx, set, goal, how, o.spec.Episodes, rng.NewStream(seed, 0, task.TrainingStream))
}

// randomStream names the stream from which purposes of random options are drawn.
const randomStream = "random-options"

// maxKeptPolicies is the largest size, in bytes, of the random options that are kept for further tasks.
const maxKeptPolicies = 1 << 28

// actionSets returns the action sets of arms. It learns the random options of a seed once for all
// tasks, as long as they are not too large.
type actionSets struct {
	*Subject
	whole    task.ActionSet // with the options
	hallways []*schema.Option
	seen     learn.Experience // of the run's learner, if it learns from experience
	keeps    bool

	mu     sync.Mutex
	random map[uint64]func() ([]*schema.Option, error) // by seed: learns options when they are first needed
}

// newActionSets reads the records that the baselines of a spec need.
func (s *Subject) newActionSets(spec task.Spec) (*actionSets, error) {
	a := &actionSets{Subject: s, random: map[uint64]func() ([]*schema.Option, error){}}
	var err error
	if a.whole, err = task.NewActionSet(s.Env, s.Options); err != nil {
		return nil, err
	}
	a.keeps = int64(len(spec.Seeds)*len(s.Options))*int64(s.Env.States()) <= maxKeptPolicies
	if slices.Contains(spec.Against, task.AgainstHallways) {
		if a.hallways, err = task.HallwayOptions(s.Env); err != nil {
			return nil, err
		}
	}
	if slices.Contains(spec.Against, task.AgainstRandom) {
		if s.Run.SpecAt(s.K).Learner == schema.ExternalLearner {
			return nil, schema.Hint(fmt.Errorf("%w: %s need the run's own learner, which is an external program",
				schema.ErrSpec, task.AgainstRandom), "compare with %s", task.AgainstPrimitives)
		}
		err = a.loadExperience()
	}
	return a, err
}

// loadExperience reads the transitions that the iteration's options were learned from, unless that was the model.
func (a *actionSets) loadExperience() (err error) {
	if !a.Run.SpecAt(a.K).UsesExperience() {
		return nil
	}
	if a.seen.Transitions, err = a.Moves(a.K); err != nil {
		return tracker.WithRepairHint(err, a.Label())
	}
	chunks := a.Iterations[a.K].RecordsOf(schema.KindTransitions)
	if len(chunks) == 0 {
		return nil
	}
	return a.View(func(tx *tracker.Tx) error {
		first, err := tracker.Load(tx, chunks[0], schema.DecodeTransitions)
		a.seen.FirstChunk = &first
		return err
	})
}

// of returns an arm's action set with a seed.
func (a *actionSets) of(ctx context.Context, arm string, seed uint64) (set task.ActionSet, err error) {
	set = a.whole
	switch arm {
	case task.AgainstPrimitives:
		set.Options = nil
	case task.AgainstHallways:
		set.Options = a.hallways
	case task.AgainstRandom:
		set.Options, err = a.randomOptions(ctx, seed)
	}
	return set, err
}

func (a *actionSets) randomOptions(ctx context.Context, seed uint64) ([]*schema.Option, error) {
	if !a.keeps {
		return a.learnRandom(ctx, seed)
	}
	a.mu.Lock()
	learned := a.random[seed]
	if learned == nil {
		learned = sync.OnceValues(func() ([]*schema.Option, error) { return a.learnRandom(ctx, seed) })
		a.random[seed] = learned
	}
	a.mu.Unlock()
	return learned()
}

func (a *actionSets) learnRandom(ctx context.Context, seed uint64) ([]*schema.Option, error) {
	learner, err := learn.NewOptionLearner(a.Env, a.Run.SpecAt(a.K), a.seen)
	if err != nil {
		return nil, fmt.Errorf("the run's learner: %w", err)
	}
	return task.RandomOptions(ctx, a.Env, learner, len(a.Options), rng.NewStream(seed, 0, randomStream))
}
