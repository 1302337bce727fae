package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// VisitRewards visits the chunks of an iteration's steps in order, each with the rewards of its steps, and stops at the
// first error of visit. The transaction that reads a chunk is closed before the visit.
func VisitRewards(
	view tracker.Viewer, it schema.Iteration,
	visit func(part int, t *schema.Transitions, rewards schema.Rewards) error,
) error {
	for part, name := range it.RecordsOf(schema.KindTransitions) {
		var t schema.Transitions
		var rewards schema.Rewards
		err := view(func(tx *tracker.Tx) (err error) {
			if t, err = tracker.Load(tx, name, schema.DecodeTransitions); err == nil {
				rewards, err = LoadRewards(tx, it, part, len(t.Actions))
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

// LoadRewards reads the rewards of the part-th chunk of an iteration. It returns an error unless there is one for each
// of the chunk's steps.
func LoadRewards(tx *tracker.Tx, it schema.Iteration, part, steps int) (schema.Rewards, error) {
	names := it.RecordsOf(schema.KindRewards)
	if part >= len(names) {
		return nil, fmt.Errorf("%w: %d records of rewards, none for chunk %d", wire.ErrMalformed, len(names), part)
	}
	r, err := tracker.Load(tx, names[part], schema.DecodeRewards)
	if err == nil {
		err = CheckRewards(r, steps)
	}
	return r, err
}

// CheckRewards returns an error unless there are as many rewards as steps.
func CheckRewards(r schema.Rewards, steps int) error {
	if len(r) != steps {
		return fmt.Errorf("%w: %d rewards for %d steps", wire.ErrMalformed, len(r), steps)
	}
	return nil
}
