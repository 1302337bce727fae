package stages

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// StageFuncs returns the functions of the iteration's external stages.
func (i *Iteration) StageFuncs(ctx context.Context) (pod.StageFuncs, error) {
	declared := i.RunState.Spec().Stages
	if i.funcs == nil && declared != nil && i.RunState.stages != nil {
		funcs, err := i.RunState.stages.LaunchStages(ctx, declared)
		if err != nil {
			return pod.StageFuncs{}, err
		}
		i.funcs = &funcs
	}
	if i.funcs == nil {
		return pod.StageFuncs{}, nil
	}
	return *i.funcs, nil
}

// findStage returns the function of an external stage, or [pod.ErrNoStage] if it was not given.
func findStage[In, Out any](
	ctx context.Context, it *Iteration, stage pod.Stage[In, Out],
) (pod.StageFunc[In, Out], error) {
	funcs, err := it.StageFuncs(ctx)
	if err != nil {
		return nil, err
	}
	compute := stage.Of(funcs)
	if compute == nil {
		err = pod.NewNoStageError(stage.Name(), it.RunState.Spec())
	}
	return compute, err
}

// CloseStages closes the functions of the iteration's external stages.
func (i *Iteration) CloseStages() error {
	funcs := i.funcs
	if i.funcs = nil; funcs == nil || funcs.Close == nil {
		return nil
	}
	return funcs.Close()
}

// StageLauncher starts external stages, like [replay.StageLauncher].
type StageLauncher interface {
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}
