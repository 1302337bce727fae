package stages

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// State is the state in which iteration k begins: everything that earlier iterations pass on.
type State struct {
	Run        tracker.Run
	Env        envs.Env
	Launcher   EnvLauncher   // of an external environment, nil if there is none to launch
	stages     StageLauncher // of external stages, nil if there are none
	K          int
	Link       schema.Digest         // of iteration k − 1
	State      int                   // before the first step of iteration k
	options    knownOptions          // of earlier iterations
	data       linalg.Dataset        // of all earlier iterations, for a cumulative D
	moves      envs.TransitionCounts // of all earlier iterations, where they are gathered
	keepsMoves bool
	table      matrix.StateMatrix  // for a cumulative method with a matrix, in place of data
	learner    learn.OptionLearner // of iteration k's spec, nil before it is needed or if it learns from experience

	scratch []byte // of the last record of what was learned, for the next one
}

func NewState(env envs.Env, run tracker.Run, launcher EnvLauncher, stages StageLauncher) *State {
	return &State{
		Run: run, Env: env, Launcher: launcher, stages: stages, State: envs.StartState(env),
		keepsMoves: run.AccumulatesTransitions(),
	}
}

// Spec returns the spec of iteration k.
func (p *State) Spec() schema.Spec { return p.Run.SpecAt(p.K) }

// Growing returns the environment if its states are discovered, else nil.
func (p *State) Growing() envs.GrowingEnv {
	x, _ := envs.As[envs.GrowingEnv](p.Env)
	return x
}

// NewLearner returns the learner of iteration k, given its observations. One that needs no
// experience is kept for all iterations with one spec.
func (p *State) NewLearner(
	tally *collect.TransitionStats, compute pod.LearnFunc,
) (l learn.OptionLearner, err error) {
	spec := p.Spec()
	isExternal := spec.Stages.Of(schema.LearnerStage) != nil
	if !spec.UsesExperience() {
		if isExternal {
			return pod.NewExternalLearner(p.Env, spec, p.K, learn.Experience{}, compute)
		}
		if p.learner == nil {
			p.learner, err = learn.NewOptionLearner(p.Env, spec, learn.Experience{})
		}
		return p.learner, err
	}
	seen := learn.Experience{Transitions: tally.Transitions(), FirstChunk: tally.FirstChunk()}
	if spec.AccumulatesExperience() {
		seen.Transitions = p.moves.Merge(seen.Transitions)
	}
	if err := memory.Check(learn.EstimateLearningMemory(p.Env, spec, seen)); err != nil {
		return nil, fmt.Errorf("learner %s, %d states of %d features: %w", spec.Learner, p.Env.States(),
			len(p.Env.Features()), err)
	}
	if isExternal {
		return pod.NewExternalLearner(p.Env, spec, p.K, seen, compute)
	}
	return learn.NewOptionLearner(p.Env, spec, seen)
}

// NewStats returns empty transition statistics for iteration k.
func (p *State) NewStats(state int) *collect.TransitionStats {
	tally := collect.NewTransitionStats(p.Env, p.available(), state)
	learn.KeepForLearner(tally, p.Spec())
	if p.Spec().Sides == schema.OneSided {
		tally.CountVisits()
	}
	if p.keepsMoves || p.Spec().MethodSeesTransitions() {
		tally.KeepTransitions()
	}
	tally.LearnMatrix(p.matrixSpec(), p.table)
	return tally
}

// matrixSpec returns the spec by which a method learns its matrix in iteration k. If it goes on from one
// iteration to the next, that is the run's.
func (p *State) matrixSpec() schema.Spec {
	if NeedsAllTransitions(p.Run.Spec) {
		return p.Run.Spec
	}
	return p.Spec()
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
func (p *State) keepTable(t *collect.TransitionStats, f *schema.Factors) {
	if NeedsAllTransitions(p.Spec()) && t != nil {
		p.table = t.Matrix(f)
	}
}

// advance advances past an iteration, whose options were added or skipped.
func (p *State) advance(link schema.Digest, state int, data linalg.Dataset) {
	before := p.Spec()
	p.K, p.Link, p.State, p.data = p.K+1, link, state, data
	p.options.forget(p.firstNeeded(p.K))
	if !reflect.DeepEqual(before, p.Spec()) {
		p.learner = nil
	}
}

// addMoves adds an iteration's transition counts to those of the previous ones.
func (p *State) addMoves(tally *collect.TransitionStats) {
	if p.keepsMoves && tally != nil {
		p.moves = p.moves.Merge(tally.Transitions())
	}
}

// keepTheta keeps the weights with an option whose policy must extend to states observed later.
func (p *State) keepTheta(o *schema.Option, l schema.ValueFunction) {
	if theta, ok := l.(schema.Theta); ok && p.Growing() != nil && !o.Certificate.Closed {
		theta.Weights = slices.Clone(theta.Weights)
		o.Theta = &theta
	}
}
