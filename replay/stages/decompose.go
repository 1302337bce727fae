package stages

import (
	"context"
	"time"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/tracker"
)

// A saved decomposition has several numbers for each pair of features, so saving takes at most a fiftieth of the time.
const (
	decompositionSaveEvery = 10 * time.Second
	decompositionSaveShare = 50
)

// decompose runs a decomposition, or what is left of it after a checkpoint.
func (i *Iteration) decompose(ctx context.Context, x *linalg.Decomposition) (err error) {
	if i.unfactoredState != nil {
		if err := x.Resume(i.unfactoredState); err != nil {
			return err
		}
		i.unfactoredState = nil
	}
	i.unfactored = x // an interruption saves its state
	next := time.Now().Add(decompositionSaveEvery)
	i.Factors, err = x.Run(func(done, total int64) error {
		i.Position = tracker.Position{Stage: Factor, Part: done, Parts: total}
		i.report(Factor, done, total)
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().Before(next) || !i.sink.CheckpointDue() {
			return nil
		}
		begun := time.Now()
		err := i.sink.Save(i)
		next = time.Now().Add(max(decompositionSaveEvery, decompositionSaveShare*time.Since(begun)))
		return err
	})
	if err == nil {
		i.unfactored = nil
	}
	return err
}
