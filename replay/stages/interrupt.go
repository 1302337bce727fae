package stages

import (
	"context"
	"errors"
)

// ErrInterrupted is the error of work that stopped on request. The run's state has been saved.
var ErrInterrupted = errors.New("interrupted")

// InterruptedBy returns the error of work that stopped because ctx was done: [ErrInterrupted] with the error of ctx.
func InterruptedBy(ctx context.Context) error { return interruption{ctx.Err()} }

// interruption is ErrInterrupted with its cause, [context.Canceled] or [context.DeadlineExceeded].
type interruption struct{ cause error }

func (i interruption) Error() string { return ErrInterrupted.Error() }

func (i interruption) Unwrap() []error { return []error{ErrInterrupted, i.cause} }
