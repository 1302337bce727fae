package figure

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// primitiveSteps is how many steps are drawn at once.
const primitiveSteps = 1 << 16

// VisitPrimitiveSteps does the same as [Source.visitSteps] for an agent without options: it visits the
// steps that the run would have taken with κ above every σ. It draws from the run's own streams,
// so that both have the same iteration 0. For imported data there is no such stream; the agent
// starts where the environment does.
func (s Source) VisitPrimitiveSteps(ctx context.Context, visit func(recorded.Step)) (last int, err error) {
	first, end := s.iterationRange()
	agent := collect.Collector{Env: s.Env, State: envs.StartState(s.Env), Executing: schema.Primitive}
	t := int64(0)
	for k := range end {
		agent.Stream = rng.NewStream(s.SpecAt(k).Seed, k, collect.WalkStream)
		if err := s.startEnv(ctx, &agent, k); err != nil {
			return 0, err
		}
		for left := s.SpecAt(k).Steps; left > 0; left -= primitiveSteps {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			chunk := schema.Transitions{Start: uint64(agent.State), Arity: len(s.Env.Actions())}
			if err := agent.Collect(ctx, &chunk, int(min(left, primitiveSteps))); err != nil {
				return 0, err
			}
			if k < first {
				continue
			}
			err := recorded.VisitChunk(s.Env, 0, &chunk, func(step recorded.Step) {
				step.T += t
				visit(step)
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
func (s Source) startEnv(ctx context.Context, agent *collect.Collector, k int) (err error) {
	if envs.ActionsDetermineStates(s.Env) {
		return nil
	}
	env, ok := envs.As[envs.ModelEnv](s.Env)
	if !ok {
		return fmt.Errorf("environment %q: %w is unknown", s.Spec.Env.Name, envs.ErrModel)
	}
	agent.Running = envs.NewRunningEnv(env, s.SpecAt(k).Seed, k, agent.State)
	agent.State, err = agent.Running.Reset(ctx)
	return err
}
