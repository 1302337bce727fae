package stages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
)

// Execute executes the remaining stages.
func (it *Iteration) Execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		Collect: it.collect,
		Factor:  it.factor,
		Select:  it.selectPurposes,
		Learn:   it.learn,
		Measure: it.measure,
	}
	for _, name := range All {
		begun := time.Now()
		err := stages[name](ctx)
		it.Cost[name] += time.Since(begun).Nanoseconds()
		if ctx.Err() != nil && err != nil {
			return it.interrupted(ctx)
		}
		if errors.Is(err, envs.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
			err = errors.Join(err, it.sink.Save(it)) // the work before the failure is still valid
		}
		if err := it.sink.FinishStage(ctx, name, it, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// interrupted saves the iteration after its context was cancelled.
func (it *Iteration) interrupted(ctx context.Context) error {
	if err := it.sink.Save(it); err != nil {
		return fmt.Errorf("interrupted, but the state could not be saved: %w", err)
	}
	return InterruptedBy(ctx)
}
