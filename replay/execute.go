package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
)

// execute executes the remaining stages.
func (it *iteration) execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		StageCollect: it.collect,
		StageFactor:  it.factor,
		StageSelect:  it.selectPurposes,
		StageLearn:   it.learn,
		StageMeasure: it.measure,
	}
	for _, name := range Stages {
		begun := time.Now()
		err := stages[name](ctx)
		it.cost[name] += time.Since(begun).Nanoseconds()
		if ctx.Err() != nil && err != nil {
			return it.interrupted(ctx)
		}
		if errors.Is(err, pod.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
			err = errors.Join(err, it.sink.save(it)) // the work before the failure is still valid
		}
		if err := it.sink.finishStage(ctx, name, it, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// interrupted saves the iteration after its context was cancelled.
func (it *iteration) interrupted(ctx context.Context) error {
	if err := it.sink.save(it); err != nil {
		return fmt.Errorf("interrupted, but the state could not be saved: %w", err)
	}
	return interruptedBy(ctx)
}
