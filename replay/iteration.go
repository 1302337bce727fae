package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// iteration is an iteration in execution, with the results of its stages so far.
type iteration struct {
	runState *runState
	sink     stageSink
	report   func(stage string, done, total int64)
	position tracker.Position // as of the last report

	agent    pod.Collector        // in a world where the environment is not determined
	chunk    schema.Transitions   // collected and not yet recorded
	chunks   int                  // recorded
	data     []schema.Entry       // of those that were given
	stats    *pod.TransitionStats // of the recorded chunks, nil before a world is entered
	factored bool
	factors  schema.Factors
	chosen   bool // purposes come from a selection record
	purposes []schema.Purpose
	learning pod.OptionLearner // nil before the first option
	learned  []*schema.Option

	cost map[string]int64 // nanoseconds a stage

	// Of an environment in another process: the states that were known before the
	// iteration, and those of which the observations are recorded.
	initialStates, recordedStates int
	fingerprints                  []byte // fingerprints of some of the observations that are not recorded
}

func newIteration(p *runState, k stageSink, report func(stage string, done, total int64)) *iteration {
	it := &iteration{
		runState: p, sink: k, report: report,
		agent: pod.Collector{
			Env:       p.env,
			Options:   p.options,
			Stream:    pod.NewStream(p.spec().Seed, p.k, pod.WalkStream),
			State:     p.state,
			Executing: schema.Primitive,
		},
		cost:          map[string]int64{},
		initialStates: p.env.States(), recordedStates: p.env.States(),
	}
	if pod.ActionsDetermineStates(p.env) {
		it.beginAt(p.state)
	}
	return it
}

// beginAt starts collecting in a state.
func (it *iteration) beginAt(state int) {
	it.agent.State = state
	it.stats = it.runState.newStats(state)
	it.beginChunk()
}

// startEnv starts an environment whose actions do not determine the states. Its iterations start
// where it says.
func (it *iteration) startEnv(ctx context.Context) error {
	if it.stats != nil {
		return nil
	}
	world, err := it.launchEnv(ctx)
	if err != nil {
		return err
	}
	it.agent.Running = world
	state, err := world.Reset(ctx)
	if err == nil {
		it.beginAt(state)
	}
	return err
}

// execute executes the remaining stages.
func (it *iteration) execute(ctx context.Context) error {
	stages := map[string]func(context.Context) error{
		StageCollect: it.collect,
		StageFactor:  it.factor,
		StageSelect:  it.selectPurposes,
		StageLearn:   it.learn,
		StageMeasure: it.measure,
	}
	for _, name := range Stages {
		begun := time.Now()
		err := stages[name](ctx)
		it.cost[name] += time.Since(begun).Nanoseconds()
		if ctx.Err() != nil && err != nil {
			return it.interrupted()
		}
		if errors.Is(err, pod.ErrEnvFailed) {
			err = errors.Join(err, it.sink.save(it)) // the work before the failure is still valid
		}
		if err := it.sink.finishStage(name, it, err); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// interrupted saves the iteration after its context was cancelled.
func (it *iteration) interrupted() error {
	if err := it.sink.save(it); err != nil {
		return fmt.Errorf("interrupted, but the state could not be saved: %w", err)
	}
	return ErrInterrupted
}

// checkpointIfDue runs between units of work. It reports progress, returns the context's error,
// and saves a checkpoint when one is due.
func (it *iteration) checkpointIfDue(ctx context.Context, stage string, done, total int64) error {
	it.position = tracker.Position{Stage: stage, Part: done, Parts: total}
	it.report(stage, done, total)
	if err := ctx.Err(); err != nil {
		return err
	}
	if it.sink.checkpointDue() {
		return it.sink.save(it)
	}
	return nil
}

// put passes the record of a stage to the sink.
func (it *iteration) put(stage string, part int, kind schema.Kind, encode func() ([]byte, error)) error {
	record, err := encode()
	if err != nil {
		return err
	}
	return it.sink.put(stage, part, kind, record)
}

// finish advances the run's state past this iteration.
func (it *iteration) finish(link schema.Digest) {
	state := it.runState.state
	if it.stats != nil { // the final state is unknown if the environment never started
		state = it.stats.State()
	}
	it.runState.addMoves(it.stats)
	it.runState.keepTable(it.stats)
	it.runState.advance(link, state, it.learned, pod.DatasetFromFactors(it.factors))
}
