package recorded

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// VisitRewards visits the rewards of an iteration of that many steps in order, chunk by chunk, and stops at the first
// error of visit. The transaction that reads a chunk is closed before the visit.
func VisitRewards(view tracker.Viewer, it schema.Iteration, steps int64, visit func(schema.Rewards) error) error {
	part := 0
	for left := steps; left > 0; left -= schema.ChunkSteps {
		rewards, err := tracker.Read(view, func(tx *tracker.Tx) (schema.Rewards, error) {
			return LoadRewards(tx, it, part, int(min(left, schema.ChunkSteps)))
		})
		if err == nil {
			err = visit(rewards)
		}
		if err != nil {
			return err
		}
		part++
	}
	if n := len(it.RecordsOf(schema.KindRewards)); n != part {
		return fmt.Errorf("%w: %d records of rewards for %d chunks", wire.ErrMalformed, n, part)
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
