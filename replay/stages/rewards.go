package stages

import (
	"context"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// HasRewards reports whether the iteration's steps have rewards, which are recorded.
func (i *Iteration) HasRewards() bool { return i.RunState.Spec().Env.HasReward() }

// putRewards records the rewards of the chunk's steps.
func (i *Iteration) putRewards() error {
	if !i.HasRewards() {
		return nil
	}
	return i.Put(Collect, i.Chunks, schema.KindRewards, i.rewards.Encode)
}

// saveRewards adds the rewards of the unfinished chunk to a checkpoint.
func (i *Iteration) saveRewards(at *checkpointState) (err error) {
	if i.HasRewards() && at.Partial != nil {
		at.Rewards, err = i.rewards.Encode()
	}
	return err
}

// decodeRewards returns the rewards of the unfinished chunk from a checkpoint.
func (i *Iteration) decodeRewards(at checkpointState, steps int) (schema.Rewards, error) {
	if !i.HasRewards() {
		return nil, nil
	}
	r, err := schema.DecodeRewards(at.Rewards)
	if err == nil {
		err = recorded.CheckRewards(r, steps)
	}
	return r, err
}

// readRewards reads the rewards of a chunk that a checkpoint lists.
func (i *Iteration) readRewards(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, part, steps int,
) (r schema.Rewards, err error) {
	if !i.HasRewards() {
		return nil, nil
	}
	err = store.View(ctx, func(tx *tracker.Tx) error {
		r, err = recorded.LoadRewards(tx, schema.Iteration{Records: c.Records}, part, steps)
		return err
	})
	return r, err
}
