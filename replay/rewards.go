package replay

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// hasRewards reports whether the iteration's steps have rewards, which are recorded.
func (it *iteration) hasRewards() bool { return it.runState.spec().Env.HasReward() }

// putRewards records the rewards of the chunk's steps.
func (it *iteration) putRewards() error {
	if !it.hasRewards() {
		return nil
	}
	return it.put(StageCollect, it.chunks, schema.KindRewards, it.rewards.Encode)
}

// saveRewards adds the rewards of the unfinished chunk to a checkpoint.
func (it *iteration) saveRewards(at *checkpointState) (err error) {
	if it.hasRewards() && at.Partial != nil {
		at.Rewards, err = it.rewards.Encode()
	}
	return err
}

// decodeRewards returns the rewards of the unfinished chunk, of so many steps, from a checkpoint.
func (it *iteration) decodeRewards(at checkpointState, steps int) (schema.Rewards, error) {
	if !it.hasRewards() {
		return nil, nil
	}
	r, err := schema.DecodeRewards(at.Rewards)
	if err == nil {
		err = checkRewards(r, steps)
	}
	return r, err
}

// readRewards reads the rewards of a chunk, of so many steps, that a checkpoint lists.
func (it *iteration) readRewards(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, part, steps int,
) (r schema.Rewards, err error) {
	if !it.hasRewards() {
		return nil, nil
	}
	err = store.View(ctx, func(tx *tracker.Tx) error {
		r, err = loadRewards(tx, schema.Iteration{Records: c.Records}, part, steps)
		return err
	})
	return r, err
}
