package replay

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// stageFuncs returns the functions of the iteration's external stages.
func (it *iteration) stageFuncs(ctx context.Context) (pod.StageFuncs, error) {
	declared := it.runState.spec().Stages
	if it.funcs == nil && declared != nil && it.runState.stages != nil {
		funcs, err := it.runState.stages.LaunchStages(ctx, declared)
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

// findStage returns what computes an external stage of the iteration, or [pod.ErrNoStage].
func findStage[In, Out any](
	ctx context.Context, it *iteration, stage pod.Stage[In, Out],
) (pod.StageFunc[In, Out], error) {
	funcs, err := it.stageFuncs(ctx)
	if err != nil {
		return nil, err
	}
	compute := stage.Of(funcs)
	if compute == nil {
		err = pod.NewNoStageError(stage.Name(), it.runState.spec())
	}
	return compute, err
}

// closeStages ends what computes the iteration's external stages.
func (it *iteration) closeStages() error {
	funcs := it.funcs
	if it.funcs = nil; funcs == nil || funcs.Close == nil {
		return nil
	}
	return funcs.Close()
}

// stageStarter starts external stages, like [StageLauncher].
type stageStarter interface {
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}
