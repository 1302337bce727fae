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
func (it *Iteration) collectExternally(ctx context.Context) error {
	p := it.RunState
	collect, err := findStage(ctx, it, pod.CollectStage)
	if err != nil {
		return err
	}
	c := &pod.ExternalCollector{
		Spec: p.Spec(), K: p.K, Env: p.Env, Options: it.Agent.Options, State: p.State, Collect: collect,
		Rewards: it.Agent.Rewards, Link: p.Link,
	}
	total := p.Spec().Steps
	start, err := c.Begin(ctx, int(min(collectedSteps, total)))
	if err != nil {
		return err
	}
	it.beginAt(start)
	for done := int64(0); done < total; done = it.StepsDone() {
		it.Position = tracker.Position{Stage: Collect, Part: done, Parts: total}
		it.report(Collect, done, total)
		if err := ctx.Err(); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(it.chunk.Actions))
		if err := c.Append(ctx, &it.chunk, int(min(collectedSteps, room, total-done))); err != nil {
			return err
		}
		it.Agent.State = c.StateNow()
		if len(it.chunk.Actions) == schema.ChunkSteps || it.StepsDone() == total {
			if err := it.recordChunk(); err != nil {
				return err
			}
		}
	}
	return nil
}
