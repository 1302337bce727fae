package replay

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// collectedSteps is how many steps something else is asked for at a time, at most.
const collectedSteps = 1 << 16

// collectExternally records transitions that something else collects, in chunks.
func (it *iteration) collectExternally(ctx context.Context) error {
	p := it.runState
	collect, err := findStage(ctx, it, pod.CollectStage)
	if err != nil {
		return err
	}
	c := &pod.ExternalCollector{
		Spec: p.spec(), K: p.k, Env: p.env, Options: it.agent.Options, State: p.state, Collect: collect,
		Rewards: it.agent.Rewards, Link: p.link,
	}
	total := p.spec().Steps
	start, err := c.Begin(ctx, int(min(collectedSteps, total)))
	if err != nil {
		return err
	}
	it.beginAt(start)
	for done := int64(0); done < total; done = it.stepsDone() {
		it.position = tracker.Position{Stage: StageCollect, Part: done, Parts: total}
		it.report(StageCollect, done, total)
		if err := ctx.Err(); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(it.chunk.Actions))
		if err := c.Append(ctx, &it.chunk, int(min(collectedSteps, room, total-done))); err != nil {
			return err
		}
		it.agent.State = c.StateNow()
		if len(it.chunk.Actions) == schema.ChunkSteps || it.stepsDone() == total {
			if err := it.recordChunk(); err != nil {
				return err
			}
		}
	}
	return nil
}
