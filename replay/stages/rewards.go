package stages

import (
	"context"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// HasRewards reports whether the iteration's steps have rewards, which are recorded.
func (it *Iteration) HasRewards() bool { return it.RunState.Spec().Env.HasReward() }

// putRewards records the rewards of the chunk's steps.
func (it *Iteration) putRewards() error {
	if !it.HasRewards() {
		return nil
	}
	return it.Put(Collect, it.Chunks, schema.KindRewards, it.rewards.Encode)
}

// saveRewards adds the rewards of the unfinished chunk to a checkpoint.
func (it *Iteration) saveRewards(at *checkpointState) (err error) {
	if it.HasRewards() && at.Partial != nil {
		at.Rewards, err = it.rewards.Encode()
	}
	return err
}

// decodeRewards returns the rewards of the unfinished chunk from a checkpoint.
func (it *Iteration) decodeRewards(at checkpointState, steps int) (schema.Rewards, error) {
	if !it.HasRewards() {
		return nil, nil
	}
	r, err := schema.DecodeRewards(at.Rewards)
	if err == nil {
		err = recorded.CheckRewards(r, steps)
	}
	return r, err
}

// readRewards reads the rewards of a chunk that a checkpoint lists.
func (it *Iteration) readRewards(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, part, steps int,
) (r schema.Rewards, err error) {
	if !it.HasRewards() {
		return nil, nil
	}
	err = store.View(ctx, func(tx *tracker.Tx) error {
		r, err = recorded.LoadRewards(tx, schema.Iteration{Records: c.Records}, part, steps)
		return err
	})
	return r, err
}
