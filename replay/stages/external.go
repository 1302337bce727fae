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
