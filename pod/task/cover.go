package task

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// AdviceFewerOptions is advice of the errors of this file.
const AdviceFewerOptions = "take fewer options, or do not compute the diffusion time"

// Cover is the length of one random walk that visits every state.
type Cover struct {
	Decisions int64 `json:"decisions"`
	Steps     int64 `json:"steps"`
}

// CoverStream is the purpose of the random stream of such a walk.
const CoverStream = "cover"

// maxCoverSteps is the number of steps after which a walk is abandoned.
const maxCoverSteps = 1 << 26

// SimulateCover follows the uniformly random policy from start until it has visited every
// state. The expected cover time has no closed form that could be computed; it is
// estimated as the mean over many walks.
func SimulateCover(ctx context.Context, set ActionSet, start int, stream *rng.Stream) (c Cover, err error) {
	visited, left := make([]bool, set.Model.States), set.Model.States-1
	visited[start] = true
	choices := newChoiceLists(set, set.isAvailable)
	for s := start; left > 0; {
		c.Decisions++
		choice := choices.sample(s, stream)
		for called := int64(1); left > 0 && c.Steps <= maxCoverSteps; called++ {
			s = set.Model.SampleSuccessor(s, set.actionOf(choice, s), stream)
			c.Steps++
			if !visited[s] {
				visited[s] = true
				left--
			}
			if set.hasEnded(choice, s, called) {
				break
			}
		}
		if c.Decisions%(1<<12) == 0 && ctx.Err() != nil {
			return c, ctx.Err()
		}
		if c.Steps > maxCoverSteps {
			return c, schema.Hint(fmt.Errorf("%w: a random walk left %d states unvisited in %d steps", envs.ErrModel, left,
				c.Steps), AdviceFewerOptions)
		}
	}
	return c, nil
}
