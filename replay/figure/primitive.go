package figure

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// primitiveSteps is how many steps are drawn at once.
const primitiveSteps = 1 << 16

// walkPrimitive is [Part.walk] of an agent that never has an option: what the run
// would have done with a κ above every σ. It draws from the run's own streams, so
// that both walk the same iteration 0. Data that were recorded elsewhere stand for
// no stream of ours; the agent walks from where the environment begins.
func (p Part) walkPrimitive(ctx context.Context, visit func(t int64, state, action int)) (last int, err error) {
	first, end := p.span()
	agent := pod.Collector{Env: p.Env(), State: p.Env().Start(), Force: schema.Primitive}
	t := int64(0)
	for k := range end {
		agent.Stream = pod.NewStream(p.Source.Made(k).Seed, k, pod.WalkStream)
		for left := p.Source.Made(k).Steps; left > 0; left -= primitiveSteps {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			chunk, state := schema.Transitions{}, agent.State
			agent.Walk(&chunk, int(min(left, primitiveSteps)))
			if k < first {
				continue
			}
			for _, a := range chunk.Actions {
				visit(t, state, int(a))
				state = p.Env().Step(state, int(a))
				t++
			}
		}
	}
	return agent.State, nil
}
