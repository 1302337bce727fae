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
func (i *Iteration) Execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		Collect: i.collect,
		Factor:  i.factor,
		Select:  i.selectPurposes,
		Learn:   i.learn,
		Measure: i.measure,
	}
	for _, name := range All {
		begun := time.Now()
		err := stages[name](ctx)
		i.Cost[name] += time.Since(begun).Nanoseconds()
		if ctx.Err() != nil && err != nil {
			return i.interrupted(ctx)
		}
		if errors.Is(err, envs.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
			err = errors.Join(err, i.sink.Save(i)) // the work before the failure is still valid
		}
		if err := i.sink.FinishStage(ctx, name, i, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// interrupted saves the iteration after its context was cancelled.
func (i *Iteration) interrupted(ctx context.Context) error {
	if err := i.sink.Save(i); err != nil {
		return fmt.Errorf("interrupted, but the state could not be saved: %w", err)
	}
	return InterruptedBy(ctx)
}

// ErrInterrupted is the error of work that stopped on request. The run's state has been saved.
var ErrInterrupted = errors.New("interrupted")

// InterruptedBy returns the error of work that stopped because ctx was done: [ErrInterrupted] with the error of ctx.
func InterruptedBy(ctx context.Context) error { return interruption{ctx.Err()} }

// interruption is ErrInterrupted with its cause, [context.Canceled] or [context.DeadlineExceeded].
type interruption struct{ cause error }

func (i interruption) Error() string { return ErrInterrupted.Error() }

func (i interruption) Unwrap() []error { return []error{ErrInterrupted, i.cause} }
