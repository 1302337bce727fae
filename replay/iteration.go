package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// iteration is one iteration under way: what its stages have made so far.
type iteration struct {
	engine *Engine
	prefix *prefix
	rw     *tracker.RunWriter
	target int

	agent    pod.Collector
	chunk    schema.Transitions // collected, not yet recorded
	tally    *pod.Tally         // of the recorded chunks
	factors  schema.Factors
	purposes []schema.Purpose
	learned  []*schema.Option

	entries []schema.Entry
	cost    tracker.Cost
}

func newIteration(e *Engine, p *prefix, rw *tracker.RunWriter, target int) *iteration {
	it := &iteration{
		engine: e, prefix: p, rw: rw, target: target,
		agent: pod.Collector{
			Env:     p.env,
			Options: p.options,
			Stream:  pod.NewStream(p.spec.Seed, p.k, pod.WalkStream),
			State:   p.state,
			Force:   schema.Primitive,
		},
		tally: pod.NewTally(p.env, p.options, p.state),
		cost:  tracker.Cost{Stages: map[string]int64{}},
	}
	it.beginChunk()
	return it
}

// execute goes through the stages that are left, and hands on to the next
// iteration.
func (it *iteration) execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		StageCollect: it.collect,
		StageFactor:  it.factor,
		StageSelect:  it.choose,
		StageLearn:   it.learn,
		StageMeasure: it.measure,
	}
	for _, name := range Stages {
		begun := time.Now()
		err := stages[name](ctx)
		it.cost.Stages[name] += time.Since(begun).Nanoseconds()
		if err != nil {
			return it.stop(ctx, fmt.Errorf("%s: %w", name, err))
		}
	}
	return it.commit()
}

// commit links the iteration to its past and seals it.
func (it *iteration) commit() error {
	p := it.prefix
	link, err := schema.Link(p.k, p.link, it.entries)
	if err != nil {
		return err
	}
	if err := it.rw.Iteration(p.k, schema.Iteration{Link: link, Records: it.entries}, it.cost); err != nil {
		return err
	}
	p.advance(link, it.tally.State(), it.learned, pod.DatasetOf(it.factors))
	return nil
}

// stop is what to return for an error. If the context asked for it, the
// iteration is saved first.
func (it *iteration) stop(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if saved := it.save(); saved != nil {
		return fmt.Errorf("interrupted, but the state could not be saved: %w", saved)
	}
	return ErrInterrupted
}

// pause is called between units of work. It says whether to stop, and saves when
// the time for a commit has come.
func (it *iteration) pause(ctx context.Context, stage string, done, total int64) error {
	it.engine.report(Event{Run: it.rw.ID(), K: it.prefix.k, Target: it.target, Stage: stage, Done: done, Total: total})
	if err := ctx.Err(); err != nil {
		return err
	}
	if it.rw.Due() {
		return it.save()
	}
	return nil
}

// put records what a stage made.
func (it *iteration) put(kind schema.Kind, encode func() ([]byte, error)) error {
	record, err := encode()
	if err != nil {
		return err
	}
	name, err := it.rw.Put(record)
	if err != nil {
		return err
	}
	it.entries = append(it.entries, schema.Entry{Kind: kind, Name: name})
	return nil
}
