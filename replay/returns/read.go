package returns

import (
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Read reads what the agent earned in all iterations of a run, with a transaction for each chunk of steps. It needs
// the transitions and the rewards.
func Read(view tracker.Viewer, run tracker.Run) (*Summary, error) {
	r := &Summary{Iterations: []Iteration{}}
	if !run.Spec.Env.HasReward() {
		return r, nil
	}
	records, err := recorded.Open(view, run)
	if err != nil {
		return nil, err
	}
	for k, it := range records.Iterations {
		var e earnings
		if err := e.read(view, it); err != nil {
			return nil, records.WrapError(k, err)
		}
		r.Iterations = append(r.Iterations, e.iteration(k))
	}
	return r, nil
}

// read adds the rewards of an iteration.
func (e *earnings) read(view tracker.Viewer, it schema.Iteration) error {
	return recorded.VisitRewards(view, it, func(_ int, t *schema.Transitions, rewards schema.Rewards) error {
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
