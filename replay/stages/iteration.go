package stages

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Iteration is an iteration in execution, with the results of its stages so far.
type Iteration struct {
	RunState *State
	sink     Sink
	report   func(stage string, done, total int64)
	Position tracker.Position // as of the last report

	Agent           collect.Collector        // in a running environment if it is not deterministic
	chunk           schema.Transitions       // collected and not yet recorded
	rewards         schema.Rewards           // of the chunk's steps, if the environment declares them
	Chunks          int                      // recorded
	data            []schema.Entry           // of the imported records
	Stats           *collect.TransitionStats // of the recorded chunks, nil before the first state is known
	factored        bool
	unfactored      *linalg.Decomposition // the factor stage's, while it is unfinished
	unfactoredState []byte                // saved state that unfactored continues from, nil for none
	Factors         schema.Factors
	chosen          bool // purposes come from a selection record
	Purposes        []schema.Purpose
	learning        learn.OptionLearner // nil before the first option
	funcs           *pod.StageFuncs     // of external stages, nil before they are needed
	Learned         []*schema.Option

	Cost map[string]int64 // nanoseconds a stage

	// Of a growing environment: the number of states that were known before the iteration, and the number
	// whose observations are recorded.
	initialStates, recordedStates int
	fingerprints                  []byte // of observations that a checkpoint does not hold
}

// A Sink receives the results of an iteration's stages. Running and replaying differ only in their sinks. A part is a
// chunk of transitions or a signed purpose, counted from 0; a stage with one result has only part 0.
type Sink interface {
	// NeedsPart reports whether the next part of a stage has to be computed.
	NeedsPart(stage string) bool
	// Imported returns a part of the iteration's imported data, nil after the last one.
	Imported(part int) ([]byte, error)
	// Put takes a record of a stage. It does not retain the bytes.
	Put(stage string, part int, kind schema.Kind, record []byte) error
	// CheckpointDue reports whether it is time for a checkpoint; save writes one.
	CheckpointDue() bool
	Save(*Iteration) error
	// FinishStage is called after each stage, with the stage's error.
	FinishStage(ctx context.Context, stage string, it *Iteration, err error) error
}

func NewIteration(p *State, k Sink, report func(stage string, done, total int64)) *Iteration {
	it := &Iteration{
		RunState: p, sink: k, report: report,
		Agent: collect.Collector{
			Env:     p.Env,
			Options: p.available(),

			OptionProbability: p.Spec().OptionProbability,

			Stream:    rng.NewStream(p.Spec().Seed, p.K, collect.WalkStream),
			State:     p.State,
			Executing: schema.Primitive,
		},
		Cost:          map[string]int64{},
		initialStates: p.Env.States(), recordedStates: p.Env.States(),
	}
	if it.HasRewards() {
		it.Agent.Rewards = &it.rewards
	}
	if envs.ActionsDetermineStates(p.Env) {
		it.beginAt(p.State)
	}
	return it
}

// beginAt starts collecting in a state.
func (it *Iteration) beginAt(state int) {
	it.Agent.State = state
	it.Stats = it.RunState.NewStats(state)
	it.beginChunk()
}

// beginChunk starts an empty chunk in the agent's state.
func (it *Iteration) beginChunk() {
	it.chunk = schema.Transitions{
		Start: uint64(it.Agent.State), Arity: len(it.RunState.Env.Actions()), Actions: it.chunk.Actions[:0],
	}
	if !envs.ActionsDetermineStates(it.RunState.Env) {
		it.chunk.Next = []uint32{}
	}
	it.rewards = it.rewards[:0]
}

// IsCollectedExternally reports whether an external stage collects the iteration's transitions.
func (it *Iteration) IsCollectedExternally() bool {
	return it.RunState.Spec().Stages.Of(schema.CollectStage) != nil
}

// isImported reports whether the iteration uses imported data instead of collecting transitions.
func (it *Iteration) isImported() bool {
	return IsImportedAt(it.RunState.Spec(), it.RunState.K)
}

// CollectKind returns the kind of records that the collect stage makes.
func (it *Iteration) CollectKind() schema.Kind {
	if envs.HasActions(it.RunState.Env) {
		return schema.KindTransitions
	}
	return schema.KindRows
}

func (it *Iteration) StepsDone() int64 { return it.Stats.Steps() + int64(len(it.chunk.Actions)) }

// PurposesToLearn returns the purposes that become options: none if there are no actions.
func (it *Iteration) PurposesToLearn() []schema.Purpose {
	if !envs.HasActions(it.RunState.Env) {
		return nil
	}
	return it.Purposes
}

// checkpointIfDue runs between units of work. It reports progress, returns the context's error,
// and saves a checkpoint when one is due.
func (it *Iteration) checkpointIfDue(ctx context.Context, stage string, done, total int64) error {
	it.Position = tracker.Position{Stage: stage, Part: done, Parts: total}
	it.report(stage, done, total)
	if err := ctx.Err(); err != nil {
		return err
	}
	if it.sink.CheckpointDue() {
		return it.sink.Save(it)
	}
	return nil
}

// Put passes the record of a stage to the sink.
func (it *Iteration) Put(stage string, part int, kind schema.Kind, encode func() ([]byte, error)) error {
	record, err := encode()
	if err != nil {
		return err
	}
	return it.sink.Put(stage, part, kind, record)
}

// Finish advances the run's state past this iteration.
func (it *Iteration) Finish(link schema.Digest) {
	state := it.RunState.State
	if it.Stats != nil { // the final state is unknown if the environment never started
		state = it.Stats.State()
	}
	it.RunState.addMoves(it.Stats)
	it.RunState.keepTable(it.Stats, &it.Factors)
	it.RunState.options.add(it.Learned)
	it.RunState.advance(link, state, linalg.DatasetFromFactors(it.Factors))
}

// IsImportedAt reports whether the data of iteration k was imported. Such data cannot be recomputed; it is verified
// against the digest in the spec.
func IsImportedAt(spec schema.Spec, k int) bool { return k == 0 && !spec.Data.IsZero() }
