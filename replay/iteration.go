package replay

import (
	"context"

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

	agent           pod.Collector        // in a running environment if it is not deterministic
	chunk           schema.Transitions   // collected and not yet recorded
	rewards         schema.Rewards       // of the chunk's steps, if the environment declares them
	chunks          int                  // recorded
	data            []schema.Entry       // of those that were given
	stats           *pod.TransitionStats // of the recorded chunks, nil before the first state is known
	factored        bool
	unfactored      *pod.Decomposition // of the factor stage while it lasts
	unfactoredState []byte             // from which that continues, nil if it begins
	factors         schema.Factors
	chosen          bool // purposes come from a selection record
	purposes        []schema.Purpose
	learning        pod.OptionLearner // nil before the first option
	funcs           *pod.StageFuncs   // of external stages, nil before they are needed
	learned         []*schema.Option

	cost map[string]int64 // nanoseconds a stage

	// Of an environment in another process: the states that were known before the
	// iteration, and those of which the observations are recorded.
	initialStates, recordedStates int
	fingerprints                  []byte // fingerprints of some of the observations that are not recorded
}

// stageSink receives the results of an iteration's stages: running and replaying differ in nothing
// else. A part is a chunk of transitions or a signed purpose, counted from 0; a stage with one
// result has only part 0.
type stageSink interface {
	// needsPart reports whether the next part of a stage has to be computed.
	needsPart(stage string) bool
	// imported returns a part of the iteration's imported data, nil after the last one.
	imported(part int) ([]byte, error)
	// put takes a record of a stage. It does not retain the bytes.
	put(stage string, part int, kind schema.Kind, record []byte) error
	// checkpointDue reports whether it is time for a checkpoint; save writes one.
	checkpointDue() bool
	save(*iteration) error
	// finishStage is called after each stage, with the stage's error.
	finishStage(ctx context.Context, stage string, it *iteration, err error) error
}

func newIteration(p *runState, k stageSink, report func(stage string, done, total int64)) *iteration {
	it := &iteration{
		runState: p, sink: k, report: report,
		agent: pod.Collector{
			Env:     p.env,
			Options: p.available(),

			OptionProbability: p.spec().OptionProbability,

			Stream:    pod.NewStream(p.spec().Seed, p.k, pod.WalkStream),
			State:     p.state,
			Executing: schema.Primitive,
		},
		cost:          map[string]int64{},
		initialStates: p.env.States(), recordedStates: p.env.States(),
	}
	if it.hasRewards() {
		it.agent.Rewards = &it.rewards
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

// beginChunk starts an empty chunk in the agent's state.
func (it *iteration) beginChunk() {
	it.chunk = schema.Transitions{
		Start: uint64(it.agent.State), Arity: len(it.runState.env.Actions()), Actions: it.chunk.Actions[:0],
	}
	if !pod.ActionsDetermineStates(it.runState.env) {
		it.chunk.Next = []uint32{}
	}
	it.rewards = it.rewards[:0]
}

// isCollectedExternally reports whether something else than podtrack collects the iteration's transitions.
func (it *iteration) isCollectedExternally() bool {
	return it.runState.spec().Stages.Of(schema.CollectStage) != nil
}

// isImported reports whether the iteration uses imported data instead of collecting transitions.
func (it *iteration) isImported() bool {
	return isImportedAt(it.runState.spec(), it.runState.k)
}

// collectKind returns the kind of records that the collect stage makes.
func (it *iteration) collectKind() schema.Kind {
	if pod.HasActions(it.runState.env) {
		return schema.KindTransitions
	}
	return schema.KindRows
}

func (it *iteration) stepsDone() int64 { return it.stats.Steps() + int64(len(it.chunk.Actions)) }

// purposesToLearn returns the purposes that become options: none if there are no actions.
func (it *iteration) purposesToLearn() []schema.Purpose {
	if !pod.HasActions(it.runState.env) {
		return nil
	}
	return it.purposes
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
	it.runState.keepTable(it.stats, &it.factors)
	it.runState.options.add(it.learned)
	it.runState.advance(link, state, pod.DatasetFromFactors(it.factors))
}

// isImportedAt reports whether iteration k was given its data, which nothing can recompute. They are those that the
// spec names, which is verified.
func isImportedAt(spec schema.Spec, k int) bool { return k == 0 && !spec.Data.IsZero() }
