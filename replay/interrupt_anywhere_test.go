package replay_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// impatient is done once it was asked so often.
type impatient struct {
	context.Context
	asked, patience atomic.Int64
}

func (c *impatient) Err() error {
	if c.asked.Add(1) > c.patience.Load() {
		return context.Canceled
	}
	return nil
}

// TestStoppedIsNotFailed: whenever a run is told to stop, while it reads what is
// there too, it is interrupted and has not failed.
func TestStoppedIsNotFailed(t *testing.T) {
	sound, run := perform(t, replay.Job{Spec: small(), Target: 3})
	stopped := 0
	for patience := range int64(40) {
		store := copyStore(t, sound.Path())
		w := store.StartWriter(t.Context())
		ctx := &impatient{Context: t.Context()}
		ctx.patience.Store(patience)
		var out replay.Outcome
		replay.NewEngine(store, w, replay.Options{}).Run(ctx, replay.Job{Spec: run.Spec, Target: 4}, func(o replay.Outcome) {
			out = o
		})
		ok(t, w.Close(context.Background()))
		if errors.Is(out.Err, replay.ErrInterrupted) {
			stopped++
		}
		view(t, store, func(tx *tracker.Tx) error {
			a, err := tx.ReadAnnotation(run.ID)
			if a.Failure != "" {
				t.Errorf("after %d looks at its context: %q", patience, a.Failure)
			}
			return err
		})
	}
	if stopped < 5 {
		t.Errorf("only %d of 40 runs were stopped at work", stopped)
	}
}
