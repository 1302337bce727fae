package returns

import (
	"fmt"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Read reads what the agent earned in all iterations of a run. It needs the transitions and the rewards.
func Read(tx *tracker.Tx, run tracker.Run) (*Run, error) {
	return ReadWith(func(read func(*tracker.Tx) error) error { return read(tx) }, run)
}

// ReadWith reads the same as [Read], with transactions for one chunk of steps each, which view opens and
// closes.
func ReadWith(view func(func(*tracker.Tx) error) error, run tracker.Run) (*Run, error) {
	r := &Run{Iterations: []Iteration{}}
	if !run.Spec.Env.HasReward() {
		return r, nil
	}
	var iterations []schema.Iteration
	err := view(func(tx *tracker.Tx) (err error) {
		iterations, err = tx.ReadIterations(run.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	for k, it := range iterations {
		var e earnings
		if err := e.read(view, it); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
		r.Iterations = append(r.Iterations, e.iteration(k))
	}
	return r, nil
}

// read adds the rewards of an iteration.
func (e *earnings) read(view func(func(*tracker.Tx) error) error, it schema.Iteration) error {
	return replay.VisitRewards(view, it, func(_ int, t *schema.Transitions, rewards schema.Rewards) error {
		episodes := t.Episodes
		for i, reward := range rewards {
			ends := len(episodes) > 0 && episodes[0].Step == uint64(i+1)
			if ends {
				episodes = episodes[1:]
			}
			e.add(reward, ends)
		}
		return nil
	})
}
