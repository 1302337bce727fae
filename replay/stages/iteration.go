package stages

import (
	"context"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
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
	chosen          bool                  // purposes come from a selection record
	Purposes        []schema.Purpose      // without their vectors: see [Iteration.Purpose]
	directions      *selection.Directions // of Factors, nil before the first vector is needed
	learning        learn.OptionLearner   // nil before the first option
	funcs           *pod.StageFuncs       // of external stages, nil before they are needed
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
			Starts:  &p.options.starts,

			OptionProbability: p.Spec().OptionProbability,
			Persistence:       collect.NewPersistence(p.Spec().Behaviour),

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
func (i *Iteration) beginAt(state int) {
	i.Agent.State = state
	i.Stats = i.RunState.NewStats(state)
	i.beginChunk()
}

// beginChunk starts an empty chunk in the agent's state.
func (i *Iteration) beginChunk() {
	i.chunk = schema.Transitions{
		Start: uint64(i.Agent.State), Arity: len(i.RunState.Env.Actions()), Actions: i.chunk.Actions[:0],
	}
	if !envs.ActionsDetermineStates(i.RunState.Env) {
		i.chunk.Next = []uint32{}
	}
	i.rewards = i.rewards[:0]
}

// IsCollectedExternally reports whether an external stage collects the iteration's transitions.
func (i *Iteration) IsCollectedExternally() bool {
	return i.RunState.Spec().Stages.Of(schema.CollectStage) != nil
}

// HasRewards reports whether the iteration's steps have rewards, which are recorded.
func (i *Iteration) HasRewards() bool { return i.RunState.Spec().Env.HasReward() }

// isImported reports whether the iteration uses imported data instead of collecting transitions.
func (i *Iteration) isImported() bool {
	return IsImportedAt(i.RunState.Spec(), i.RunState.K)
}

// CollectKind returns the kind of records that the collect stage makes.
func (i *Iteration) CollectKind() schema.Kind {
	if envs.HasActions(i.RunState.Env) {
		return schema.KindTransitions
	}
	return schema.KindRows
}

func (i *Iteration) StepsDone() int64 { return i.Stats.Steps() + int64(len(i.chunk.Actions)) }

// PurposesToLearn returns the purposes that become options: none if there are no actions.
func (i *Iteration) PurposesToLearn() []schema.Purpose {
	if !envs.HasActions(i.RunState.Env) {
		return nil
	}
	return i.Purposes
}

// checkpointIfDue runs between units of work. It reports progress, returns the context's error,
// and saves a checkpoint when one is due.
func (i *Iteration) checkpointIfDue(ctx context.Context, stage string, done, total int64) error {
	i.Position = tracker.Position{Stage: stage, Part: done, Parts: total}
	i.report(stage, done, total)
	if err := ctx.Err(); err != nil {
		return err
	}
	if i.sink.CheckpointDue() {
		return i.sink.Save(i)
	}
	return nil
}

// Put passes the record of a stage to the sink.
func (i *Iteration) Put(stage string, part int, kind schema.Kind, encode func() ([]byte, error)) error {
	record, err := encode()
	if err != nil {
		return err
	}
	return i.sink.Put(stage, part, kind, record)
}

// Finish advances the run's state past this iteration.
func (i *Iteration) Finish(link schema.Digest) {
	state := i.RunState.State
	if i.Stats != nil { // the final state is unknown if the environment never started
		state = i.Stats.State()
	}
	i.RunState.addMoves(i.Stats)
	i.RunState.keepTable(i.Stats, &i.Factors)
	i.RunState.addOptions(i.Learned)
	i.RunState.advance(link, state, linalg.DatasetFromFactors(i.Factors))
}

// IsImportedAt reports whether the data of iteration k was imported. Such data cannot be recomputed; it is verified
// against the digest in the spec.
func IsImportedAt(spec schema.Spec, k int) bool { return k == 0 && !spec.Data.IsZero() }

// StageFuncs returns the functions of the iteration's external stages.
func (i *Iteration) StageFuncs(ctx context.Context) (pod.StageFuncs, error) {
	declared := i.RunState.Spec().Stages
	if i.funcs == nil && declared != nil && i.RunState.stages != nil {
		funcs, err := i.RunState.stages.LaunchStages(ctx, declared)
		if err != nil {
			return pod.StageFuncs{}, err
		}
		i.funcs = &funcs
	}
	if i.funcs == nil {
		return pod.StageFuncs{}, nil
	}
	return *i.funcs, nil
}

// CloseStages closes the functions of the iteration's external stages.
func (i *Iteration) CloseStages() error {
	funcs := i.funcs
	if i.funcs = nil; funcs == nil || funcs.Close == nil {
		return nil
	}
	return funcs.Close()
}

// StageLauncher starts external stages, like [replay.StageLauncher].
type StageLauncher interface {
	LaunchStages(ctx context.Context, declared *schema.Stages) (pod.StageFuncs, error)
}
