package replay

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A StageLauncher provides external stages, such as methods and learners that are not podtrack's. It must be safe
// for concurrent use. [StageSet] is a StageLauncher of functions in this process.
type StageLauncher interface {
	// CheckStages returns an error unless the launcher has every declared stage: [pod.ErrNoStage] if it lacks one,
	// [pod.ErrStageMismatch] if it has another one in its place.
	CheckStages(ctx context.Context, declared *schema.Stages) error
	// LaunchStages returns the functions of the declared stages that the launcher has. A single iteration calls them,
	// one at a time and with ctx, and closes them.
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}

// CodeStageLauncher is a StageLauncher that describes the code of its programs. Code is called only for stages that
// CheckStages has accepted.
type CodeStageLauncher interface {
	StageLauncher
	Code(declared *schema.Stages) []tracker.Program
}

// A StageSet is a StageLauncher of functions in this process. The zero value is empty. It must not be changed while it
// is in use.
type StageSet struct{ entries []stageEntry }

// stageEntry is a function in a set.
type stageEntry struct {
	stage    string
	declared schema.StageProgram
	put      func(*pod.StageFuncs)
}

// addStage adds a function that computes a stage, and whose panics are errors. The error wraps [schema.ErrSpec] unless
// the stage may declare p.
func addStage[In, Out any](
	x *StageSet, stage pod.Stage[In, Out], p schema.StageProgram, compute pod.StageFunc[In, Out],
) error {
	put := func(f *pod.StageFuncs) {
		stage.Put(f, func(ctx context.Context, in In) (Out, error) {
			return envs.Catch(func() (Out, error) { return compute(ctx, in) })
		})
	}
	x.entries = append(x.entries, stageEntry{stage.Name(), p, put})
	return schema.CheckStage(stage.Name(), p)
}

// AddCollect adds a function that takes the steps of each iteration. The error wraps [schema.ErrSpec]
// unless p is a valid declaration of one.
func (s *StageSet) AddCollect(p schema.StageProgram, compute pod.CollectFunc) error {
	return addStage(s, pod.CollectStage, p, compute)
}

// AddMethod adds a method. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (s *StageSet) AddMethod(p schema.StageProgram, compute pod.MethodFunc) error {
	return addStage(s, pod.MethodStage, p, compute)
}

// AddSelect adds a selection. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (s *StageSet) AddSelect(p schema.StageProgram, decide pod.SelectFunc) error {
	return addStage(s, pod.SelectStage, p, decide)
}

// AddLearner adds a learner. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (s *StageSet) AddLearner(p schema.StageProgram, learn pod.LearnFunc) error {
	return addStage(s, pod.LearnerStage, p, learn)
}

// AddMeasure adds a function that measures each iteration. The error wraps [schema.ErrSpec] unless p is a valid
// declaration of one.
func (s *StageSet) AddMeasure(p schema.StageProgram, measure pod.MeasureFunc) error {
	return addStage(s, pod.MeasureStage, p, measure)
}

// CheckStages implements [StageLauncher].
func (s *StageSet) CheckStages(_ context.Context, declared *schema.Stages) error {
	for _, stage := range declared.Names() {
		if err := s.checkStage(stage, declared); err != nil {
			return err
		}
	}
	return nil
}

// checkStage returns an error unless the set has a declared stage.
func (s *StageSet) checkStage(stage string, declared *schema.Stages) error {
	want, err := declared.Of(stage), pod.NewNoStageError(stage, schema.Spec{Stages: declared})
	for _, e := range s.entries {
		switch {
		case e.stage != stage:
		case e.declared.Equal(want):
			return nil
		case e.declared.Name == want.Name && errors.Is(err, pod.ErrNoStage): // report the first mismatch of that name
			err = pod.NewStageMismatch(stage, *want, e.declared)
		}
	}
	return err
}

// LaunchStages implements [StageLauncher].
func (s *StageSet) LaunchStages(_ context.Context, declared *schema.Stages) (funcs pod.StageFuncs, err error) {
	for _, e := range slices.Backward(s.entries) { // the first one wins
		if e.declared.Equal(declared.Of(e.stage)) {
			e.put(&funcs)
		}
	}
	return funcs, nil
}

// EnvLauncher launches external environments. It must be safe for concurrent use.
type EnvLauncher interface {
	// CheckEnv returns an error if the program is another environment than env.
	CheckEnv(ctx context.Context, env schema.Env) error
	// Launch starts the environment that env describes for iteration k and adds its
	// observations to seen. The environment runs until ctx is cancelled, or until it is
	// closed if it is an [io.Closer].
	Launch(ctx context.Context, env schema.Env, seen *envs.ObservedStates, seed uint64, k int) (envs.RunningEnv, error)
}

// CodeLauncher is an EnvLauncher that describes the code of an environment's program. Code is called only for an
// environment that CheckEnv was asked about.
type CodeLauncher interface {
	EnvLauncher
	Code(env schema.Env) tracker.Program
}
