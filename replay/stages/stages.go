package stages

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// The stages of an iteration, as events and costs name them.
const (
	Collect = "collect"
	Factor  = "factor"
	Select  = "select"
	Learn   = "learn"
	Measure = "measure"
)

// All lists the stages in the order of execution.
var All = []string{Collect, Factor, Select, Learn, Measure}

// Kinds maps a stage to the kinds of records that it makes. Selecting by σ > κ makes none.
var Kinds = map[string][]schema.Kind{
	Collect: {schema.KindObservations, schema.KindTransitions, schema.KindRewards, schema.KindRows},
	Factor:  {schema.KindFactors},
	Select:  {schema.KindSelection},
	Learn:   {schema.KindValue, schema.KindTheta, schema.KindOption},
	Measure: {schema.KindMeasures, schema.KindExternalMeasures},
}

// shareOfStage is the share of an iteration's time at which a stage typically begins and ends.
var shareOfStage = map[string][2]float64{
	Collect: {0, 0.3}, Factor: {0.3, 0.35}, Select: {0.35, 0.35}, Learn: {0.35, 1},
	Measure: {1, 1},
}

// FractionOfIteration returns the approximate fraction of an iteration's work that is done after done of total parts of
// a stage.
func FractionOfIteration(stage string, done, total int64) float64 {
	span := shareOfStage[stage]
	return span[0] + (span[1]-span[0])*float64(min(done, total))/float64(max(total, 1))
}

// sliceSteps is how many steps are collected between two checks of the context.
const sliceSteps = 1 << 16

// externalSliceSteps replaces sliceSteps in an external environment, whose steps are slow, unless it takes more steps
// in one batch.
const externalSliceSteps = 1 << 6

// collect collects the iteration's steps and records them in chunks, or takes imported data.
func (it *Iteration) collect(ctx context.Context) error {
	if !it.sink.NeedsPart(Collect) {
		return nil
	}
	if it.isImported() {
		return it.collectImported()
	}
	if it.IsCollectedExternally() {
		return it.collectExternally(ctx)
	}
	if err := it.startEnv(ctx); err != nil {
		return err
	}
	total := it.RunState.Spec().Steps
	for done := it.StepsDone(); done < total; done = it.StepsDone() {
		if err := it.checkpointIfDue(ctx, Collect, done, total); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(it.chunk.Actions))
		if err := it.Agent.Collect(ctx, &it.chunk, int(min(it.sliceSteps(), room, total-done))); err != nil {
			if errors.Is(err, envs.ErrEnvFailed) {
				err = fmt.Errorf("after %d of %d steps: %w", it.StepsDone(), total, err)
			}
			return err
		}
		if len(it.chunk.Actions) == schema.ChunkSteps || it.StepsDone() == total {
			if err := it.recordChunk(); err != nil {
				return err
			}
		}
	}
	return it.CloseEnv()
}

// sliceSteps returns the number of steps to the next check of the context.
func (it *Iteration) sliceSteps() int64 {
	if it.RunState.Growing() == nil {
		return sliceSteps
	}
	if batched, ok := it.Agent.Running.(collect.BatchedEnv); ok {
		return int64(max(externalSliceSteps, batched.BatchSize()))
	}
	return externalSliceSteps
}

func (it *Iteration) recordChunk() error {
	if err := it.putObservations(); err != nil {
		return err
	}
	if err := it.Put(Collect, it.Chunks, schema.KindTransitions, it.chunk.Encode); err != nil {
		return err
	}
	if err := it.putRewards(); err != nil {
		return err
	}
	if err := it.Stats.Add(&it.chunk); err != nil {
		return err
	}
	it.Chunks++
	it.beginChunk()
	return nil
}

// factor computes the singular value decomposition of D.
func (it *Iteration) factor(ctx context.Context) error {
	if it.factored || !it.sink.NeedsPart(Factor) {
		return nil
	}
	if err := it.checkpointIfDue(ctx, Factor, 0, 1); err != nil {
		return err
	}
	data, err := it.FactoredDataset()
	if err != nil {
		return err
	}
	how := pod.FactoringOf(it.RunState.Env, it.RunState.Spec())
	err = memory.Check(how.EstimateMemory(int64(data.Dims), int64(len(data.Counts)), data.Entries()))
	if err != nil {
		return fmt.Errorf("the dataset has %d distinct rows of %d features: %w", len(data.Counts), data.Dims, err)
	}
	if it.RunState.Spec().Stages.Of(schema.MethodStage) != nil {
		err = it.factorExternally(ctx, data)
	} else {
		err = it.decompose(ctx, linalg.NewDecomposition(how, data))
	}
	if err != nil {
		return err
	}
	it.factored = true
	return it.Put(Factor, 0, schema.KindFactors, it.Factors.Encode)
}

// FactoredDataset returns the dataset to factor: this iteration's D or, if D is cumulative, that of all iterations so
// far.
func (it *Iteration) FactoredDataset() (linalg.Dataset, error) {
	data, err := it.Stats.FactoredDataset()
	if err != nil {
		return data, fmt.Errorf("iteration %d: %w", it.RunState.K, err)
	}
	spec := it.RunState.Spec()
	if spec.Dataset == schema.Cumulative && !spec.Method.HasMatrix() && it.RunState.K > 0 {
		data = it.RunState.data.Merge(data)
	}
	return data, nil
}

// factorExternally asks the external method for the factors of D.
func (it *Iteration) factorExternally(ctx context.Context, data linalg.Dataset) error {
	method, err := findStage(ctx, it, pod.MethodStage)
	if err != nil {
		return err
	}
	p := it.RunState
	in := pod.MethodInput{Spec: p.Spec(), K: p.K, Data: data, Features: p.Env.Features()}
	if p.Spec().MethodSeesTransitions() {
		in.Env, in.Transitions = p.Env, it.Stats.Transitions()
		if p.Spec().Dataset == schema.Cumulative {
			in.Transitions = p.moves.Merge(in.Transitions)
		}
	}
	it.Factors, err = pod.FactorExternally(ctx, method, in)
	return err
}

// learn learns the options of the remaining purposes.
func (it *Iteration) learn(ctx context.Context) error {
	total := int64(len(it.PurposesToLearn()))
	for i := len(it.Learned); i < len(it.PurposesToLearn()); i++ {
		if err := it.checkpointIfDue(ctx, Learn, int64(i), total); err != nil {
			return err
		}
		if !it.sink.NeedsPart(Learn) {
			continue
		}
		if err := it.learnOne(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (it *Iteration) learnOne(ctx context.Context, i int) (err error) {
	// An option's policy stays in memory, and the record of its values takes eight bytes a state.
	if err := memory.Check(9 * int64(it.RunState.Env.States())); err != nil {
		return err
	}
	if it.learning == nil {
		funcs, err := it.StageFuncs(ctx)
		if err != nil {
			return err
		}
		if it.learning, err = it.RunState.NewLearner(it.Stats, pod.LearnerStage.Of(funcs)); err != nil {
			return err
		}
	}
	o, l, err := it.learning.Learn(ctx, it.Purposes[i])
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // recording a large table takes seconds; resuming learns it again
	}
	if err := it.putLearned(i, l); err != nil {
		return err
	}
	it.RunState.keepTheta(o, l)
	it.Learned = append(it.Learned, o)
	return it.Put(Learn, i, schema.KindOption, o.Encode)
}

// putLearned records the values or weights of an option. It reuses one buffer, since a value table is the largest of
// all records.
func (it *Iteration) putLearned(i int, l schema.ValueFunction) error {
	return it.Put(Learn, i, l.Kind(), func() (record []byte, err error) {
		record, err = l.AppendTo(it.RunState.scratch[:0])
		it.RunState.scratch = record
		return record, err
	})
}

// measure records the iteration's measures, and those of an external stage.
func (it *Iteration) measure(ctx context.Context) error {
	if !it.sink.NeedsPart(Measure) {
		return nil
	}
	m, err := it.PutMeasures()
	if err != nil || !it.RunState.Spec().HasExternalMeasures() {
		return err
	}
	return it.measureExternally(ctx, m)
}

// PutMeasures records the built-in measures.
func (it *Iteration) PutMeasures() (schema.Measures, error) {
	m := it.Stats.Measures(len(schema.Unsigned(it.Purposes)), len(it.Learned))
	return m, it.Put(Measure, 0, schema.KindMeasures, m.Encode)
}

// measureExternally records the measures of the external stage.
func (it *Iteration) measureExternally(ctx context.Context, m schema.Measures) error {
	measure, err := findStage(ctx, it, pod.MeasureStage)
	if err != nil {
		return err
	}
	p := it.RunState
	measured, err := pod.MeasureExternally(ctx, measure, pod.MeasureInput{Spec: p.Spec(), K: p.K, Measures: m})
	if err != nil {
		return err
	}
	return it.Put(Measure, 0, schema.KindExternalMeasures, measured.Encode)
}
