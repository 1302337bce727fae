package stages

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// collectedSteps is the largest number of steps that an external collector is asked for at a time.
const collectedSteps = 1 << 16

// collectExternally records the transitions of an external collector, in chunks.
func (i *Iteration) collectExternally(ctx context.Context) error {
	p := i.RunState
	c := &pod.ExternalCollector{
		Spec: p.Spec(), K: p.K, Env: p.Env, Options: i.Agent.Options, State: p.State, Stages: i.StageFuncs,
		Rewards: i.Agent.Rewards, Link: p.Link,
	}
	total := p.Spec().Steps
	start, err := c.Begin(ctx, int(min(collectedSteps, total)))
	if err != nil {
		return err
	}
	i.beginAt(start)
	for done := int64(0); done < total; done = i.StepsDone() {
		i.Position = tracker.Position{Stage: Collect, Part: done, Parts: total}
		i.report(Collect, done, total)
		if err := ctx.Err(); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(i.chunk.Actions))
		if err := c.Append(ctx, &i.chunk, int(min(collectedSteps, room, total-done))); err != nil {
			return err
		}
		i.Agent.State = c.StateNow()
		if len(i.chunk.Actions) == schema.ChunkSteps || i.StepsDone() == total {
			if err := i.recordChunk(); err != nil {
				return err
			}
		}
	}
	return nil
}
