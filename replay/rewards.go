package replay

import (
	"context"
	"fmt"

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

// checkRewards returns an error unless each of so many steps has a reward.
func checkRewards(r schema.Rewards, steps int) error {
	if len(r) != steps {
		return fmt.Errorf("%w: %d rewards of %d steps", schema.ErrMalformed, len(r), steps)
	}
	return nil
}

// VisitRewards visits each chunk of an iteration's steps with the reward of each step, in order. It reads a chunk
// in one transaction, which view opens and closes before the visit. It stops at the first error of visit.
func VisitRewards(
	view tracker.Viewer, it schema.Iteration,
	visit func(part int, t *schema.Transitions, rewards schema.Rewards) error,
) error {
	for part, name := range it.RecordsOf(schema.KindTransitions) {
		var t schema.Transitions
		var rewards schema.Rewards
		err := view(func(tx *tracker.Tx) (err error) {
			if t, err = tracker.Load(tx, name, schema.DecodeTransitions); err == nil {
				rewards, err = loadRewards(tx, it, part, len(t.Actions))
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := visit(part, &t, rewards); err != nil {
			return err
		}
	}
	return nil
}

// loadRewards reads the rewards of the part-th chunk of an iteration, which has so many steps.
func loadRewards(tx *tracker.Tx, it schema.Iteration, part, steps int) (schema.Rewards, error) {
	names := it.RecordsOf(schema.KindRewards)
	if part >= len(names) {
		return nil, fmt.Errorf("%w: %d records of rewards, and a chunk %d", schema.ErrMalformed, len(names), part)
	}
	r, err := tracker.Load(tx, names[part], schema.DecodeRewards)
	if err == nil {
		err = checkRewards(r, steps)
	}
	return r, err
}

// checkRecordedRewards notes the damage of rewards that were not recomputed. No stage reads them, so that
// nothing else would.
func (c *comparer) checkRecordedRewards() error {
	err := c.readRecordedRewards()
	if err == nil || !IsDamage(err) {
		return err
	}
	if r := c.results[StageCollect]; r.Verdict != Different {
		*r = StageResult{
			Stage: StageCollect, Verdict: Damaged, Reason: fmt.Sprintf("iteration %d, %s: %v", c.k, StageCollect, err),
		}
	}
	return nil
}

// readRecordedRewards reads the rewards of all chunks.
func (c *comparer) readRecordedRewards() error {
	part := 0
	for left := c.spec.Steps; left > 0; left -= schema.ChunkSteps {
		err := c.view(func(tx *tracker.Tx) error {
			_, err := loadRewards(tx, c.recorded, part, int(min(left, schema.ChunkSteps)))
			return err
		})
		if err != nil {
			return err
		}
		part++
	}
	if n := len(c.recorded.RecordsOf(schema.KindRewards)); n != part {
		return fmt.Errorf("%w: %d records of rewards of %d chunks", schema.ErrMalformed, n, part)
	}
	return nil
}
