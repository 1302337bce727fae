package replay

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A StageLauncher has external stages: methods, selections and learners that do not belong to podtrack. It may
// be used by several goroutines. [StageSet] is the one of functions in this process.
type StageLauncher interface {
	// CheckStages returns an error unless the launcher has every stage that is declared: [pod.ErrNoStage] for
	// one that it does not have, [pod.ErrStageMismatch] if it has another one in its place.
	CheckStages(ctx context.Context, declared *schema.Stages) error
	// LaunchStages returns the functions of those of the declared stages that the launcher has. One iteration of
	// one run uses them, one at a time, and closes them. Their context is that of the call.
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}

// CodeStageLauncher is a StageLauncher that knows the code of its programs, of the stages that CheckStages has
// accepted.
type CodeStageLauncher interface {
	StageLauncher
	Code(declared *schema.Stages) []tracker.Program
}

// A StageSet has stages that are functions of this process, by what they declare. The zero value has none. It
// must not be changed while it is used.
type StageSet struct {
	collects []stageEntry[pod.CollectFunc]
	methods  []stageEntry[pod.MethodFunc]
	selects  []stageEntry[pod.SelectFunc]
	learners []stageEntry[pod.LearnFunc]
	measures []stageEntry[pod.MeasureFunc]
}

type stageEntry[F any] struct {
	declared schema.StageProgram
	compute  F
}

// AddCollect adds a function that takes the steps of each iteration. The error wraps [schema.ErrSpec]
// unless p is a valid declaration of one.
func (x *StageSet) AddCollect(p schema.StageProgram, compute pod.CollectFunc) error {
	x.collects = append(x.collects, stageEntry[pod.CollectFunc]{p, compute})
	return schema.CheckStage(schema.CollectStage, p)
}

// AddMethod adds a method. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (x *StageSet) AddMethod(p schema.StageProgram, compute pod.MethodFunc) error {
	x.methods = append(x.methods, stageEntry[pod.MethodFunc]{p, compute})
	return schema.CheckStage(schema.MethodStage, p)
}

// AddSelect adds a selection. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (x *StageSet) AddSelect(p schema.StageProgram, decide pod.SelectFunc) error {
	x.selects = append(x.selects, stageEntry[pod.SelectFunc]{p, decide})
	return schema.CheckStage(schema.SelectStage, p)
}

// AddLearner adds a learner. The error wraps [schema.ErrSpec] unless p is a valid declaration of one.
func (x *StageSet) AddLearner(p schema.StageProgram, learn pod.LearnFunc) error {
	x.learners = append(x.learners, stageEntry[pod.LearnFunc]{p, learn})
	return schema.CheckStage(schema.LearnerStage, p)
}

// AddMeasure adds what measures. It returns [schema.ErrSpec] if nothing that measures can declare p.
func (x *StageSet) AddMeasure(p schema.StageProgram, measure pod.MeasureFunc) error {
	x.measures = append(x.measures, stageEntry[pod.MeasureFunc]{p, measure})
	return schema.CheckStage(schema.MeasureStage, p)
}

// CheckStages implements [StageLauncher].
func (x *StageSet) CheckStages(_ context.Context, declared *schema.Stages) error {
	if err := checkStageEntry(x.collects, schema.CollectStage, declared); err != nil {
		return err
	}
	if err := checkStageEntry(x.methods, schema.MethodStage, declared); err != nil {
		return err
	}
	if err := checkStageEntry(x.selects, schema.SelectStage, declared); err != nil {
		return err
	}
	if err := checkStageEntry(x.learners, schema.LearnerStage, declared); err != nil {
		return err
	}
	return checkStageEntry(x.measures, schema.MeasureStage, declared)
}

// LaunchStages implements [StageLauncher].
func (x *StageSet) LaunchStages(_ context.Context, declared *schema.Stages) (pod.StageFuncs, error) {
	return pod.StageFuncs{
		Collect: findStage(x.collects, schema.CollectStage, declared),
		Method:  findStage(x.methods, schema.MethodStage, declared),
		Select:  findStage(x.selects, schema.SelectStage, declared),
		Learn:   findStage(x.learners, schema.LearnerStage, declared),
		Measure: findStage(x.measures, schema.MeasureStage, declared),
	}.Guarded(), nil
}

// findStage returns what computes a declared stage, nil if there is nothing.
func findStage[F any](entries []stageEntry[F], stage string, declared *schema.Stages) (compute F) {
	p := declared.Of(stage)
	for _, e := range entries {
		if p != nil && e.declared.Equal(p) {
			return e.compute
		}
	}
	return compute
}

// checkStageEntry returns an error if a stage is declared and not there.
func checkStageEntry[F any](entries []stageEntry[F], stage string, declared *schema.Stages) error {
	p := declared.Of(stage)
	if p == nil {
		return nil
	}
	for _, e := range entries {
		if e.declared.Equal(p) {
			return nil
		}
	}
	for _, e := range entries {
		if e.declared.Name == p.Name {
			return pod.NewStageMismatch(stage, *p, e.declared)
		}
	}
	return pod.NewNoStageError(stage, schema.Spec{Stages: declared})
}

// checkStages returns an error unless a run with the spec can go on with those stages.
func checkStages(ctx context.Context, spec schema.Spec, launcher StageLauncher) error {
	if spec.Stages == nil {
		return nil
	}
	if launcher == nil {
		launcher = &StageSet{}
	}
	return launcher.CheckStages(ctx, spec.Stages)
}

// stageFuncs returns the functions of the iteration's external stages.
func (it *iteration) stageFuncs(ctx context.Context) (pod.StageFuncs, error) {
	declared := it.runState.spec().Stages
	if it.funcs != nil || declared == nil || it.runState.stages == nil {
		it.funcs = orEmpty(it.funcs)
		return *it.funcs, nil
	}
	funcs, err := it.runState.stages.LaunchStages(ctx, declared)
	if err != nil {
		return pod.StageFuncs{}, err
	}
	it.funcs = &funcs
	return funcs, nil
}

func orEmpty(funcs *pod.StageFuncs) *pod.StageFuncs {
	if funcs == nil {
		return &pod.StageFuncs{}
	}
	return funcs
}

// closeStages ends what computes the iteration's external stages.
func (it *iteration) closeStages() error {
	funcs := it.funcs
	if it.funcs = nil; funcs == nil || funcs.Close == nil {
		return nil
	}
	return funcs.Close()
}
