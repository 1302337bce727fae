package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// The stages of an iteration, as events and costs name them.
const (
	StageCollect = "collect"
	StageFactor  = "factor"
	StageSelect  = "select"
	StageLearn   = "learn"
	StageMeasure = "measure"
)

// Stages lists the stages in the order of execution.
var Stages = []string{StageCollect, StageFactor, StageSelect, StageLearn, StageMeasure}

// StageKinds maps a stage to the kinds of records that it makes. Selecting by σ > κ makes none.
var StageKinds = map[string][]schema.Kind{
	StageCollect: {schema.KindObservations, schema.KindTransitions, schema.KindRewards, schema.KindRows},
	StageFactor:  {schema.KindFactors},
	StageSelect:  {schema.KindSelection},
	StageLearn:   {schema.KindValue, schema.KindTheta, schema.KindOption},
	StageMeasure: {schema.KindMeasures, schema.KindExternalMeasures},
}

// shareOfStage is where a stage begins and ends within an iteration of typical cost.
var shareOfStage = map[string][2]float64{
	StageCollect: {0, 0.3}, StageFactor: {0.3, 0.35}, StageSelect: {0.35, 0.35}, StageLearn: {0.35, 1},
	StageMeasure: {1, 1},
}

// FractionOfIteration returns about which fraction of an iteration's work is done when done of total
// parts of a stage are.
func FractionOfIteration(stage string, done, total int64) float64 {
	span := shareOfStage[stage]
	return span[0] + (span[1]-span[0])*float64(min(done, total))/float64(max(total, 1))
}

// sliceSteps is how many steps are collected between two checks of the context.
const sliceSteps = 1 << 16

// externalSliceSteps replaces sliceSteps in an external environment, unless that takes more steps ahead.
const externalSliceSteps = 1 << 6

// collect collects the iteration's steps and records them in chunks, or takes imported data.
func (it *iteration) collect(ctx context.Context) error {
	if !it.sink.needsPart(StageCollect) {
		return nil
	}
	if it.isImported() {
		return it.collectImported()
	}
	if it.isCollectedExternally() {
		return it.collectExternally(ctx)
	}
	if err := it.startEnv(ctx); err != nil {
		return err
	}
	total := it.runState.spec().Steps
	for done := it.stepsDone(); done < total; done = it.stepsDone() {
		if err := it.checkpointIfDue(ctx, StageCollect, done, total); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(it.chunk.Actions))
		if err := it.agent.Collect(ctx, &it.chunk, int(min(it.sliceSteps(), room, total-done))); err != nil {
			if errors.Is(err, pod.ErrEnvFailed) {
				err = fmt.Errorf("after %d of %d steps: %w", it.stepsDone(), total, err)
			}
			return err
		}
		if len(it.chunk.Actions) == schema.ChunkSteps || it.stepsDone() == total {
			if err := it.recordChunk(); err != nil {
				return err
			}
		}
	}
	return it.closeEnv()
}

// sliceSteps returns the number of steps to the next check of the context.
func (it *iteration) sliceSteps() int64 {
	if it.runState.growing() == nil {
		return sliceSteps
	}
	if batched, ok := it.agent.Running.(pod.BatchedEnv); ok {
		return int64(max(externalSliceSteps, batched.BatchSize()))
	}
	return externalSliceSteps
}

func (it *iteration) recordChunk() error {
	if err := it.putObservations(); err != nil {
		return err
	}
	if err := it.put(StageCollect, it.chunks, schema.KindTransitions, it.chunk.Encode); err != nil {
		return err
	}
	if err := it.putRewards(); err != nil {
		return err
	}
	if err := it.stats.Add(&it.chunk); err != nil {
		return err
	}
	it.chunks++
	it.beginChunk()
	return nil
}

// factor computes the singular value decomposition of D.
func (it *iteration) factor(ctx context.Context) error {
	if it.factored || !it.sink.needsPart(StageFactor) {
		return nil
	}
	if err := it.checkpointIfDue(ctx, StageFactor, 0, 1); err != nil {
		return err
	}
	data, err := it.factoredDataset()
	if err != nil {
		return err
	}
	how := pod.FactoringOf(it.runState.env, it.runState.spec())
	err = memory.Check(how.EstimateMemory(int64(data.Dims), int64(len(data.Counts)), data.Entries()))
	if err != nil {
		return fmt.Errorf("data of %d distinct rows of %d features: %w", len(data.Counts), data.Dims, err)
	}
	if it.runState.spec().Stages.Of(schema.MethodStage) != nil {
		err = it.factorExternally(ctx, data)
	} else {
		err = it.decompose(ctx, pod.NewDecomposition(how, data))
	}
	if err != nil {
		return err
	}
	it.factored = true
	return it.put(StageFactor, 0, schema.KindFactors, it.factors.Encode)
}

// factoredDataset returns what is factored: D or, with a cumulative dataset, that of all iterations so far.
func (it *iteration) factoredDataset() (pod.Dataset, error) {
	data, err := it.stats.FactoredDataset()
	if err != nil {
		return data, fmt.Errorf("iteration %d: %w", it.runState.k, err)
	}
	spec := it.runState.spec()
	if spec.Dataset == schema.Cumulative && !spec.Method.HasMatrix() && it.runState.k > 0 {
		data = it.runState.data.Merge(data)
	}
	return data, nil
}

// factorExternally asks the external method for the factors of D.
func (it *iteration) factorExternally(ctx context.Context, data pod.Dataset) error {
	method, err := findStage(ctx, it, pod.MethodStage)
	if err != nil {
		return err
	}
	p := it.runState
	in := pod.MethodInput{Spec: p.spec(), K: p.k, Data: data, Features: p.env.Features()}
	if p.spec().MethodSeesTransitions() {
		in.Env, in.Transitions = p.env, it.stats.Transitions()
		if p.spec().Dataset == schema.Cumulative {
			in.Transitions = p.moves.Merge(in.Transitions)
		}
	}
	it.factors, err = pod.FactorExternally(ctx, method, in)
	return err
}

// learn learns the options of the remaining purposes.
func (it *iteration) learn(ctx context.Context) error {
	total := int64(len(it.purposesToLearn()))
	for i := len(it.learned); i < len(it.purposesToLearn()); i++ {
		if err := it.checkpointIfDue(ctx, StageLearn, int64(i), total); err != nil {
			return err
		}
		if !it.sink.needsPart(StageLearn) {
			continue
		}
		if err := it.learnOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (it *iteration) learnOne(ctx context.Context, i int) (err error) {
	// An option's policy stays in memory; the record of its values takes as much again.
	if err := memory.Check(9 * int64(it.runState.env.States())); err != nil {
		return err
	}
	if it.learning == nil {
		funcs, err := it.stageFuncs(ctx)
		if err != nil {
			return err
		}
		if it.learning, err = it.runState.newLearner(it.stats, pod.LearnerStage.Of(funcs)); err != nil {
			return err
		}
	}
	o, l, err := it.learning.Learn(ctx, it.purposes[i])
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // recording a large table takes seconds; resuming learns it again
	}
	if err := it.putLearned(i, l); err != nil {
		return err
	}
	it.runState.keepTheta(o, l)
	it.learned = append(it.learned, o)
	return it.put(StageLearn, i, schema.KindOption, o.Encode)
}

// putLearned records the values or weights of an option. A value table is the largest of the
// records.
func (it *iteration) putLearned(i int, l schema.ValueFunction) error {
	return it.put(StageLearn, i, l.Kind(), func() (record []byte, err error) {
		record, err = l.AppendTo(it.runState.scratch[:0])
		it.runState.scratch = record
		return record, err
	})
}

// measure records the iteration's measures, and those of an external stage.
func (it *iteration) measure(ctx context.Context) error {
	if !it.sink.needsPart(StageMeasure) {
		return nil
	}
	m, err := it.putMeasures()
	if err != nil || !it.runState.spec().HasExternalMeasures() {
		return err
	}
	return it.measureExternally(ctx, m)
}

// putMeasures records the built-in measures.
func (it *iteration) putMeasures() (schema.Measures, error) {
	m := it.stats.Measures(len(schema.Unsigned(it.purposes)), len(it.learned))
	return m, it.put(StageMeasure, 0, schema.KindMeasures, m.Encode)
}

// measureExternally records what the external stage measures.
func (it *iteration) measureExternally(ctx context.Context, m schema.Measures) error {
	measure, err := findStage(ctx, it, pod.MeasureStage)
	if err != nil {
		return err
	}
	p := it.runState
	measured, err := pod.MeasureExternally(ctx, measure, pod.MeasureInput{Spec: p.spec(), K: p.k, Measures: m})
	if err != nil {
		return err
	}
	return it.put(StageMeasure, 0, schema.KindExternalMeasures, measured.Encode)
}
