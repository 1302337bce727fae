package stages

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// StageFuncs returns the functions of the iteration's external stages.
func (it *Iteration) StageFuncs(ctx context.Context) (pod.StageFuncs, error) {
	declared := it.RunState.Spec().Stages
	if it.funcs == nil && declared != nil && it.RunState.stages != nil {
		funcs, err := it.RunState.stages.LaunchStages(ctx, declared)
		if err != nil {
			return pod.StageFuncs{}, err
		}
		it.funcs = &funcs
	}
	if it.funcs == nil {
		return pod.StageFuncs{}, nil
	}
	return *it.funcs, nil
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
func (it *Iteration) CloseStages() error {
	funcs := it.funcs
	if it.funcs = nil; funcs == nil || funcs.Close == nil {
		return nil
	}
	return funcs.Close()
}

// StageLauncher starts external stages, like [replay.StageLauncher].
type StageLauncher interface {
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}
