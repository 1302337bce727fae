package figure

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// primitiveSteps is how many steps are drawn at once.
const primitiveSteps = 1 << 16

// VisitPrimitiveSteps does the same as [Source.visitSteps] for an agent without options: it visits the
// steps that the run would have taken with κ above every σ. It draws from the run's own streams,
// so that both have the same iteration 0. For imported data there is no such stream; the agent
// starts where the environment does.
func (p Source) VisitPrimitiveSteps(ctx context.Context, visit func(recorded.Step)) (last int, err error) {
	first, end := p.iterationRange()
	agent := pod.Collector{Env: p.Env, State: pod.StartState(p.Env), Executing: schema.Primitive}
	t := int64(0)
	for k := range end {
		agent.Stream = pod.NewStream(p.SpecAt(k).Seed, k, pod.WalkStream)
		if err := p.startEnv(ctx, &agent, k); err != nil {
			return 0, err
		}
		for left := p.SpecAt(k).Steps; left > 0; left -= primitiveSteps {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			chunk := schema.Transitions{Start: uint64(agent.State), Arity: len(p.Env.Actions())}
			if err := agent.Collect(ctx, &chunk, int(min(left, primitiveSteps))); err != nil {
				return 0, err
			}
			if k < first {
				continue
			}
			err := recorded.VisitChunk(p.Env, 0, &chunk, func(s recorded.Step) {
				s.T += t
				visit(s)
			})
			if err != nil {
				return 0, err
			}
			t += int64(len(chunk.Actions))
		}
	}
	return agent.State, nil
}

// startEnv starts an environment whose actions do not determine the states for iteration k.
func (p Source) startEnv(ctx context.Context, agent *pod.Collector, k int) (err error) {
	if pod.ActionsDetermineStates(p.Env) {
		return nil
	}
	env, ok := pod.As[pod.ModelEnv](p.Env)
	if !ok {
		return fmt.Errorf("environment %q: %w: there is none to run it by", p.Spec.Env.Name, pod.ErrModel)
	}
	agent.Running = pod.NewRunningEnv(env, p.SpecAt(k).Seed, k, agent.State)
	agent.State, err = agent.Running.Reset(ctx)
	return err
}
