package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
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
func (i *Iteration) collect(ctx context.Context) error {
	if !i.sink.NeedsPart(Collect) {
		return nil
	}
	if i.isImported() {
		return i.collectImported()
	}
	take := func(ctx context.Context, n int) error { return i.Agent.Collect(ctx, &i.chunk, n) }
	var err error
	if i.IsCollectedExternally() {
		take, err = i.beginExternally(ctx)
	} else {
		err = i.startEnv(ctx)
	}
	if err != nil {
		return err
	}
	total := i.RunState.Spec().Steps
	for done := i.StepsDone(); done < total; done = i.StepsDone() {
		if err := i.checkpointIfDue(ctx, Collect, done, total); err != nil {
			return err
		}
		room := int64(schema.ChunkSteps - len(i.chunk.Actions))
		if err := take(ctx, int(min(i.sliceSteps(), room, total-done))); err != nil {
			if errors.Is(err, envs.ErrEnvFailed) {
				err = fmt.Errorf("after %d of %d steps: %w", i.StepsDone(), total, err)
			}
			return err
		}
		if len(i.chunk.Actions) == schema.ChunkSteps || i.StepsDone() == total {
			if err := i.recordChunk(); err != nil {
				return err
			}
		}
	}
	return i.CloseEnv()
}

// sliceSteps returns the number of steps to the next check of the context.
func (i *Iteration) sliceSteps() int64 {
	if i.RunState.Growing() == nil || i.IsCollectedExternally() {
		return sliceSteps
	}
	if batched, ok := i.Agent.Running.(collect.BatchedEnv); ok {
		return int64(max(externalSliceSteps, batched.BatchSize()))
	}
	return externalSliceSteps
}

func (i *Iteration) recordChunk() error {
	if err := i.putObservations(); err != nil {
		return err
	}
	if err := i.Put(Collect, i.Chunks, schema.KindTransitions, i.chunk.Encode); err != nil {
		return err
	}
	if i.HasRewards() {
		if err := i.Put(Collect, i.Chunks, schema.KindRewards, i.rewards.Encode); err != nil {
			return err
		}
	}
	if err := i.Stats.Add(&i.chunk); err != nil {
		return err
	}
	i.Chunks++
	i.beginChunk()
	return nil
}

// factor computes the singular value decomposition of D.
func (i *Iteration) factor(ctx context.Context) error {
	if i.Stats != nil {
		if err := i.Stats.EndMatrix(ctx); err != nil {
			return err
		}
	}
	if i.factored || !i.sink.NeedsPart(Factor) {
		return nil
	}
	if err := i.checkpointIfDue(ctx, Factor, 0, 1); err != nil {
		return err
	}
	data, err := i.FactoredDataset()
	if err != nil {
		return err
	}
	how := pod.FactoringOf(i.RunState.Env, i.RunState.Spec())
	err = memory.Check(data.EstimateMemory(how))
	if err != nil {
		return fmt.Errorf("the dataset has %d distinct rows of %d features: %w", len(data.Counts), data.Dims, err)
	}
	if i.RunState.Spec().Stages.Of(schema.MethodStage) != nil {
		i.Factors, err = pod.FactorExternally(ctx, i.StageFuncs, i.methodInput(data))
	} else {
		err = i.decompose(ctx, linalg.NewDecomposition(how, data))
	}
	if err != nil {
		return err
	}
	i.factored = true
	vectors := int64(8 * len(i.Factors.V))
	memory.Dropped(vectors) // by columns, and the matrix that was decomposed
	if err := i.Put(Factor, 0, schema.KindFactors, i.Factors.Encode); err != nil {
		return err
	}
	memory.Dropped(vectors) // of the record
	return nil
}

// FactoredDataset returns the dataset to factor: this iteration's D or, if D is cumulative, that of all iterations so
// far.
func (i *Iteration) FactoredDataset() (linalg.Dataset, error) {
	data, err := i.Stats.FactoredDataset()
	if err != nil {
		return data, fmt.Errorf("iteration %d: %w", i.RunState.K, err)
	}
	spec := i.RunState.Spec()
	if spec.Dataset == schema.Cumulative && !spec.Method.HasMatrix() && i.RunState.K > 0 {
		data = i.RunState.data.Merge(data)
	}
	return data, nil
}

// methodInput returns the input of an external method.
func (i *Iteration) methodInput(data linalg.Dataset) pod.MethodInput {
	p := i.RunState
	in := pod.MethodInput{Spec: p.Spec(), K: p.K, Data: data, Features: p.Env.Features()}
	if p.Spec().MethodSeesTransitions() {
		in.Env, in.Transitions = p.Env, i.Stats.Transitions()
		if p.Spec().Dataset == schema.Cumulative {
			in.Transitions = p.moves.Merge(in.Transitions)
		}
	}
	return in
}

// learn learns the options of the remaining purposes.
func (i *Iteration) learn(ctx context.Context) error {
	total := int64(len(i.PurposesToLearn()))
	for n := len(i.Learned); n < len(i.PurposesToLearn()); n++ {
		if err := i.checkpointIfDue(ctx, Learn, int64(n), total); err != nil {
			return err
		}
		if !i.sink.NeedsPart(Learn) {
			continue
		}
		if err := i.learnOne(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (i *Iteration) learnOne(ctx context.Context, n int) (err error) {
	// An option's policy stays in memory, and the record of its values takes eight bytes a state.
	if err := memory.Check(9 * int64(i.RunState.Env.States())); err != nil {
		return err
	}
	if i.learning == nil {
		if i.learning, err = i.RunState.NewLearner(i.Stats, i.StageFuncs); err != nil {
			return err
		}
	}
	o, l, err := i.learning.Learn(ctx, i.Purpose(n))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // recording a large table takes seconds; resuming learns it again
	}
	err = i.Put(Learn, n, l.Kind(), func() (record []byte, err error) {
		record, err = l.AppendTo(i.RunState.scratch[:0]) // a value table is the largest of all records
		i.RunState.scratch = record
		return record, err
	})
	if err != nil {
		return err
	}
	if theta, ok := l.(schema.Theta); ok && i.RunState.Growing() != nil && !o.Certificate.Closed {
		theta.Weights = slices.Clone(theta.Weights)
		o.Theta = &theta // the policy must extend to states observed later
	}
	i.Learned = append(i.Learned, o)
	if err := i.Put(Learn, n, schema.KindOption, o.Encode); err != nil {
		return err
	}
	i.RunState.forgetVector(o)
	return nil
}

// measure records the iteration's measures, and those of an external stage.
func (i *Iteration) measure(ctx context.Context) error {
	if !i.sink.NeedsPart(Measure) {
		return nil
	}
	m, err := i.PutMeasures()
	if err != nil || i.RunState.Spec().Stages.Of(schema.MeasureStage) == nil {
		return err
	}
	spec, k := i.RunState.Spec(), i.RunState.K
	measured, err := pod.MeasureExternally(ctx, i.StageFuncs, pod.MeasureInput{Spec: spec, K: k, Measures: m})
	if err != nil {
		return err
	}
	return i.Put(Measure, 0, schema.KindExternalMeasures, measured.Encode)
}

// PutMeasures records the built-in measures.
func (i *Iteration) PutMeasures() (schema.Measures, error) {
	m := i.Stats.Measures(len(schema.Unsigned(i.Purposes)), len(i.Learned))
	return m, i.Put(Measure, 0, schema.KindMeasures, m.Encode)
}

// A saved decomposition has several numbers for each pair of features, so saving takes at most a fiftieth of the time.
const (
	decompositionSaveEvery = 10 * time.Second
	decompositionSaveShare = 50
)

// decompose runs a decomposition, or what is left of it after a checkpoint.
func (i *Iteration) decompose(ctx context.Context, x *linalg.Decomposition) (err error) {
	if i.unfactoredState != nil {
		if err := x.Resume(i.unfactoredState); err != nil {
			return err
		}
		i.unfactoredState = nil
	}
	i.unfactored = x // an interruption saves its state
	next := time.Now().Add(decompositionSaveEvery)
	i.Factors, err = x.Run(func(done, total int64) error {
		i.Position = tracker.Position{Stage: Factor, Part: done, Parts: total}
		i.report(Factor, done, total)
		if err := ctx.Err(); err != nil {
			return err
		}
		if time.Now().Before(next) || !i.sink.CheckpointDue() {
			return nil
		}
		begun := time.Now()
		err := i.sink.Save(i)
		next = time.Now().Add(max(decompositionSaveEvery, decompositionSaveShare*time.Since(begun)))
		return err
	})
	if err == nil {
		i.unfactored = nil
	}
	return err
}

// Execute executes the remaining stages.
func (i *Iteration) Execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		Collect: i.collect,
		Factor:  i.factor,
		Select:  i.selectPurposes,
		Learn:   i.learn,
		Measure: i.measure,
	}
	for _, name := range All {
		begun := time.Now()
		err := stages[name](ctx)
		i.Cost[name] += time.Since(begun).Nanoseconds()
		if ctx.Err() != nil && err != nil {
			if err := i.sink.Save(i); err != nil {
				return fmt.Errorf("interrupted, but the state could not be saved: %w", err)
			}
			return InterruptedBy(ctx)
		}
		if errors.Is(err, envs.ErrEnvFailed) || errors.Is(err, pod.ErrStageFailed) {
			err = errors.Join(err, i.sink.Save(i)) // the work before the failure is still valid
		}
		if err := i.sink.FinishStage(ctx, name, i, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// ErrInterrupted is the error of work that stopped on request. The run's state has been saved.
var ErrInterrupted = errors.New("interrupted")

// InterruptedBy returns the error of work that stopped because ctx was done: [ErrInterrupted] with the error of ctx.
func InterruptedBy(ctx context.Context) error { return interruption{ctx.Err()} }

// interruption is ErrInterrupted with its cause, [context.Canceled] or [context.DeadlineExceeded].
type interruption struct{ cause error }

func (i interruption) Error() string { return ErrInterrupted.Error() }

func (i interruption) Unwrap() []error { return []error{ErrInterrupted, i.cause} }
