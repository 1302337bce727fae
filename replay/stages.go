package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// sliceSteps is how many steps are collected between two looks at the context.
const sliceSteps = 1 << 16

// worldSteps is sliceSteps where each step asks another process.
const worldSteps = 1 << 6

// beginChunk starts an empty chunk where the agent stands.
func (it *iteration) beginChunk() {
	it.chunk = schema.Transitions{Start: uint64(it.agent.State), Arity: len(it.prefix.env.Actions()), Actions: it.chunk.Actions[:0]}
	if !pod.ActionsDetermineStates(it.prefix.env) {
		it.chunk.Next = []uint32{}
	}
}

// collect lets the agent act until the iteration has its steps, and records
// them in chunks, or takes what it is given.
func (it *iteration) collect(ctx context.Context) error {
	if !it.keeper.wants(StageCollect) {
		return nil
	}
	if it.isGiven() {
		return it.take()
	}
	if err := it.enter(ctx); err != nil {
		return err
	}
	total, slice := it.prefix.spec().Steps, int64(sliceSteps)
	if it.prefix.external() != nil {
		slice = worldSteps
	}
	for done := it.collected(); done < total; done = it.collected() {
		if err := it.pause(ctx, StageCollect, done, total); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(it.chunk.Actions))
		if err := it.agent.Collect(ctx, &it.chunk, int(min(slice, room, total-done))); err != nil {
			return err
		}
		if len(it.chunk.Actions) == schema.ChunkSteps || it.collected() == total {
			if err := it.recordChunk(); err != nil {
				return err
			}
		}
	}
	return it.leave()
}

// collects is the kind of records that the stage makes.
func (it *iteration) collects() schema.Kind {
	if pod.HasActions(it.prefix.env) {
		return schema.KindTransitions
	}
	return schema.KindRows
}

func (it *iteration) collected() int64 { return it.tally.Steps() + int64(len(it.chunk.Actions)) }

func (it *iteration) recordChunk() error {
	if err := it.putObservations(); err != nil {
		return err
	}
	if err := it.put(StageCollect, it.chunks, schema.KindTransitions, it.chunk.Encode); err != nil {
		return err
	}
	if err := it.tally.Add(&it.chunk); err != nil {
		return err
	}
	it.chunks++
	it.beginChunk()
	return nil
}

// factor takes the singular value decomposition of D.
func (it *iteration) factor(ctx context.Context) error {
	if it.factored || !it.keeper.wants(StageFactor) {
		return nil
	}
	if err := it.pause(ctx, StageFactor, 0, 1); err != nil {
		return err
	}
	data := it.tally.Dataset()
	if spec := it.prefix.spec(); spec.Dataset == schema.Cumulative && spec.Method == "" && it.prefix.k > 0 {
		data = it.prefix.data.Merge(data)
	}
	err := tracker.CheckMemory(pod.EstimateFactorMemory(int64(data.Dims), int64(len(data.Counts))))
	if err != nil {
		return fmt.Errorf("data of %d distinct rows of %d features: %w", len(data.Counts), data.Dims, err)
	}
	if it.factors, err = pod.Factor(ctx, data); err != nil {
		return err
	}
	it.factored = true
	return it.put(StageFactor, 0, schema.KindFactors, it.factors.Encode)
}

// toLearn are the purposes that become options: none where nobody can act.
func (it *iteration) toLearn() []schema.Purpose {
	if !pod.HasActions(it.prefix.env) {
		return nil
	}
	return it.purposes
}

// learn makes the options of the purposes that have none yet.
func (it *iteration) learn(ctx context.Context) error {
	total := int64(len(it.toLearn()))
	for i := len(it.learned); i < len(it.toLearn()); i++ {
		if err := it.pause(ctx, StageLearn, int64(i), total); err != nil {
			return err
		}
		if !it.keeper.wants(StageLearn) {
			continue
		}
		if err := it.learnOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (it *iteration) learnOne(ctx context.Context, i int) error {
	// An option's policy stays; what it was taken from is recorded in memory once more.
	if err := tracker.CheckMemory(9 * int64(it.prefix.env.States())); err != nil {
		return err
	}
	if it.learning == nil {
		it.learning = it.prefix.learning(it.tally)
	}
	o, l, err := it.learning.Learn(ctx, it.purposes[i])
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // a large table takes seconds to record; it is learned again instead
	}
	if err := it.putLearned(i, l); err != nil {
		return err
	}
	it.prefix.keepTheta(o, l)
	it.learned = append(it.learned, o)
	return it.put(StageLearn, i, schema.KindOption, o.Encode)
}

// putLearned hands over what an option was taken from, a value table being the
// largest of the records.
func (it *iteration) putLearned(i int, l schema.ValueFunction) error {
	return it.put(StageLearn, i, l.Kind(), func() (record []byte, err error) {
		record, err = l.AppendTo(it.prefix.scratch[:0])
		it.prefix.scratch = record
		return record, err
	})
}

// measure sums the iteration up.
func (it *iteration) measure(context.Context) error {
	if !it.keeper.wants(StageMeasure) {
		return nil
	}
	m := it.tally.Measures(len(it.purposes)/2, len(it.learned))
	return it.put(StageMeasure, 0, schema.KindMeasures, m.Encode)
}
