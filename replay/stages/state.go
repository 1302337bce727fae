package stages

import (
	"context"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// State is the state in which iteration k begins: everything that earlier iterations pass on.
type State struct {
	Run        tracker.Run
	Env        envs.Env
	Launcher   EnvLauncher   // of external environments, nil for none
	stages     StageLauncher // of external stages, nil for none
	K          int
	Link       schema.Digest         // of iteration k − 1
	State      int                   // before the first step of iteration k
	options    knownOptions          // of earlier iterations
	data       linalg.Dataset        // of all earlier iterations, for a cumulative D
	moves      envs.TransitionCounts // of all earlier iterations, if keepsMoves
	keepsMoves bool
	table      matrix.StateMatrix  // for a cumulative method with a matrix, in place of data
	learner    learn.OptionLearner // of iteration k's spec, nil before it is needed or if it learns from experience

	scratch []byte // buffer of the last record of values or weights, reused by the next one

	// CodeChanged is true if programs have changed since the last session: steps of its checkpoint are taken again.
	CodeChanged bool
}

func NewState(env envs.Env, run tracker.Run, launcher EnvLauncher, stages StageLauncher) *State {
	return &State{
		Run: run, Env: env, Launcher: launcher, stages: stages, State: envs.StartState(env),
		keepsMoves: run.AccumulatesTransitions(),
	}
}

// Spec returns the spec of iteration k.
func (s *State) Spec() schema.Spec { return s.Run.SpecAt(s.K) }

// Growing returns the environment if its states are discovered, else nil.
func (s *State) Growing() envs.GrowingEnv {
	x, _ := envs.As[envs.GrowingEnv](s.Env)
	return x
}

// NewLearner returns the learner of iteration k, given its transitions. A learner that needs no experience is reused by
// all iterations with the same spec.
func (s *State) NewLearner(
	tally *collect.TransitionStats, launch pod.StageSource,
) (l learn.OptionLearner, err error) {
	spec, seen := s.Spec(), learn.Experience{}
	if spec.UsesExperience() {
		seen = learn.Experience{Transitions: tally.Transitions(), FirstChunk: tally.FirstChunk()}
		if spec.AccumulatesExperience() {
			seen.Transitions = s.moves.Merge(seen.Transitions)
		}
		if err := memory.Check(learn.EstimateLearningMemory(s.Env, spec, seen)); err != nil {
			return nil, fmt.Errorf("learner %s, %d states of %d features: %w", spec.Learner, s.Env.States(),
				len(s.Env.Features()), err)
		}
	}
	switch {
	case spec.Stages.Of(schema.LearnerStage) != nil:
		return pod.NewExternalLearner(s.Env, spec, s.K, seen, launch)
	case spec.UsesExperience():
		return learn.NewOptionLearner(s.Env, spec, seen)
	case s.learner == nil:
		s.learner, err = learn.NewOptionLearner(s.Env, spec, seen)
	}
	return s.learner, err
}

// NewStats returns empty transition statistics for iteration k.
func (s *State) NewStats(state int) *collect.TransitionStats {
	tally := collect.NewTransitionStats(s.Env, s.available(), state)
	learn.KeepForLearner(tally, s.Spec())
	if s.Spec().Sides == schema.OneSided {
		tally.CountVisits()
	}
	if s.keepsMoves || s.Spec().MethodSeesTransitions() {
		tally.KeepTransitions()
	}
	learnsBy := s.Spec()
	if NeedsAllTransitions(s.Run.Spec) { // the matrix is continued from one iteration to the next
		learnsBy = s.Run.Spec
	}
	tally.LearnMatrix(learnsBy, s.table)
	return tally
}

// NeedsAllTransitions reports whether later iterations need the transitions of all earlier ones,
// not just of the last.
func NeedsAllTransitions(spec schema.Spec) bool {
	return spec.Method.HasMatrix() && spec.Dataset == schema.Cumulative
}

// LearnsFromFactors reports whether later iterations need the factors of all earlier ones.
func LearnsFromFactors(spec schema.Spec) bool {
	return NeedsAllTransitions(spec) && spec.Method.FindsPair()
}

// keepTable keeps the matrix that a method has accumulated, f being the iteration's factors if it
// learns from them.
func (s *State) keepTable(t *collect.TransitionStats, f *schema.Factors) {
	if NeedsAllTransitions(s.Spec()) && t != nil {
		s.table = t.Matrix(f)
	}
}

// advance advances past an iteration, whose options were added or skipped.
func (s *State) advance(link schema.Digest, state int, data linalg.Dataset) {
	before := s.Spec()
	s.K, s.Link, s.State, s.data = s.K+1, link, state, data
	if s.Spec().Restart == schema.EachIteration {
		s.State = envs.StartState(s.Env)
	}
	s.options.forget(s.firstNeeded(s.K))
	if !reflect.DeepEqual(before, s.Spec()) {
		s.learner = nil
	}
}

// addMoves adds an iteration's transition counts to those of the previous ones.
func (s *State) addMoves(tally *collect.TransitionStats) {
	if s.keepsMoves && tally != nil {
		s.moves = s.moves.Merge(tally.Transitions())
	}
}

// LoadUpTo loads the recorded iterations before k, each in its own transaction.
func (s *State) LoadUpTo(ctx context.Context, with tracker.Viewer, recorded []schema.Iteration, k int) error {
	for s.K < k {
		err := with(func(tx *tracker.Tx) error { return s.Load(ctx, tx, recorded[s.K], k) })
		if err != nil {
			return fmt.Errorf("iteration %d: %w", s.K, err)
		}
	}
	return nil
}

// Load advances the state past a recorded iteration before upTo. It reads only what iteration upTo or a later one
// needs: the transitions and factors of the last iteration, or of all of them if they accumulate, and the options that
// can still be called.
func (s *State) Load(ctx context.Context, tx *tracker.Tx, it schema.Iteration, upTo int) error {
	last := s.K == upTo-1
	if err := s.Run.VerifyLink(s.K, s.Link, it); err != nil {
		return err
	}
	if err := s.LoadObservations(tx, it); err != nil {
		return err
	}
	if last || s.keepsMoves || NeedsAllTransitions(s.Spec()) {
		if err := s.loadState(ctx, tx, it, last); err != nil {
			return err
		}
	}
	if err := s.loadOptions(tx, it, upTo); err != nil {
		return err
	}
	s.advance(it.Link, s.State, s.data)
	return nil
}

// loadOptions loads the options of an iteration, unless neither iteration upTo nor a later one can call
// them.
func (s *State) loadOptions(tx *tracker.Tx, it schema.Iteration, upTo int) error {
	if s.K < s.firstNeeded(upTo) {
		s.options.from++ // all earlier options were skipped too
		s.options.First += len(it.RecordsOf(schema.KindOption))
		return nil
	}
	learned, err := recorded.LoadOptions(tx, s.Env, it)
	if err == nil {
		s.addOptions(learned)
	}
	return err
}

// loadState reads an iteration's final state, its transition counts and, for the last one with a
// cumulative D, the accumulated dataset.
func (s *State) loadState(ctx context.Context, tx *tracker.Tx, it schema.Iteration, last bool) error {
	tally, err := recorded.LoadTally(tx, s.Env, it, func(state int) *collect.TransitionStats {
		stats := s.NewStats(state)
		stats.IgnoreOptions()
		return stats
	})
	if err == nil {
		err = tally.EndMatrix(ctx)
	}
	if err != nil {
		return err
	}
	s.State = tally.State()
	s.addMoves(tally)
	if !NeedsAllTransitions(s.Spec()) {
		if !last || s.Run.Spec.Dataset != schema.Cumulative {
			return nil
		}
		f, err := recorded.LoadFactors(tx, s.Env, s.Spec(), it)
		s.data = linalg.DatasetFromFactors(f)
		return err
	}
	var f *schema.Factors
	if LearnsFromFactors(s.Spec()) {
		own, err := recorded.LoadFactors(tx, s.Env, s.Spec(), it)
		if err != nil {
			return err
		}
		f = &own
	}
	s.keepTable(tally, f)
	return nil
}

// LoadObservations adds the observations that an iteration recorded to the environment.
func (s *State) LoadObservations(tx *tracker.Tx, it schema.Iteration) error {
	err := recorded.LoadObservations(tx, s.Env, it)
	if err == nil {
		envs.ExtendPolicies(s.Env, s.options.Options)
	}
	return err
}
