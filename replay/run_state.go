package replay

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// runState is the state in which iteration k begins: everything that earlier iterations pass on.
type runState struct {
	run        tracker.Run
	env        pod.Env
	launcher   envStarter   // of an external environment, nil if there is none to launch
	stages     stageStarter // of external stages, nil if there are none
	k          int
	link       schema.Digest        // of iteration k − 1
	state      int                  // before the first step of iteration k
	options    knownOptions         // of earlier iterations
	data       pod.Dataset          // of all earlier iterations, for a cumulative D
	moves      pod.TransitionCounts // of all earlier iterations, where they are gathered
	keepsMoves bool
	table      pod.StateMatrix   // for a cumulative method with a matrix, in place of data
	learner    pod.OptionLearner // of iteration k's spec, nil before it is needed or if it learns from experience

	scratch []byte // of the last record of what was learned, for the next one
}

func newRunState(env pod.Env, run tracker.Run, envs envStarter, stages stageStarter) *runState {
	return &runState{
		run: run, env: env, launcher: envs, stages: stages, state: pod.StartState(env),
		keepsMoves: run.AccumulatesTransitions(),
	}
}

// spec returns the spec of iteration k.
func (p *runState) spec() schema.Spec { return p.run.SpecAt(p.k) }

// growing returns the environment if its states are discovered, else nil.
func (p *runState) growing() pod.GrowingEnv {
	x, _ := pod.As[pod.GrowingEnv](p.env)
	return x
}

// newLearner returns the learner of iteration k, given its observations. One that needs no
// experience is kept for all iterations with one spec.
func (p *runState) newLearner(tally *pod.TransitionStats, learn pod.LearnFunc) (l pod.OptionLearner, err error) {
	spec := p.spec()
	isExternal := spec.Stages.Of(schema.LearnerStage) != nil
	if !spec.UsesExperience() {
		if isExternal {
			return pod.NewExternalLearner(p.env, spec, p.k, pod.Experience{}, learn)
		}
		if p.learner == nil {
			p.learner, err = pod.NewOptionLearner(p.env, spec, pod.Experience{})
		}
		return p.learner, err
	}
	seen := pod.Experience{Transitions: tally.Transitions(), FirstChunk: tally.FirstChunk()}
	if spec.AccumulatesExperience() {
		seen.Transitions = p.moves.Merge(seen.Transitions)
	}
	if err := memory.Check(pod.EstimateLearningMemory(p.env, spec, seen)); err != nil {
		return nil, fmt.Errorf("learner %s, %d states of %d features: %w", spec.Learner, p.env.States(),
			len(p.env.Features()), err)
	}
	if isExternal {
		return pod.NewExternalLearner(p.env, spec, p.k, seen, learn)
	}
	return pod.NewOptionLearner(p.env, spec, seen)
}

// newStats returns empty transition statistics for iteration k.
func (p *runState) newStats(state int) *pod.TransitionStats {
	tally := pod.NewTransitionStats(p.env, p.available(), state)
	pod.KeepForLearner(tally, p.spec())
	if p.spec().Sides == schema.OneSided {
		tally.CountVisits()
	}
	if p.keepsMoves || p.spec().MethodSeesTransitions() {
		tally.KeepTransitions()
	}
	tally.LearnMatrix(p.matrixSpec(), p.table)
	return tally
}

// matrixSpec returns the spec by which a method learns its matrix in iteration k. If it goes on from one
// iteration to the next, that is the run's.
func (p *runState) matrixSpec() schema.Spec {
	if needsAllTransitions(p.run.Spec) {
		return p.run.Spec
	}
	return p.spec()
}

// needsAllTransitions reports whether later iterations need the transitions of all earlier ones,
// not just of the last.
func needsAllTransitions(spec schema.Spec) bool {
	return spec.Method.HasMatrix() && spec.Dataset == schema.Cumulative
}

// learnsFromFactors reports whether later iterations need the factors of all earlier ones.
func learnsFromFactors(spec schema.Spec) bool {
	return needsAllTransitions(spec) && spec.Method.FindsPair()
}

// keepTable keeps the matrix that a method has accumulated, f being the iteration's factors if it
// learns from them.
func (p *runState) keepTable(t *pod.TransitionStats, f *schema.Factors) {
	if needsAllTransitions(p.spec()) && t != nil {
		p.table = t.Matrix(f)
	}
}

// advance advances past an iteration, whose options were added or skipped.
func (p *runState) advance(link schema.Digest, state int, data pod.Dataset) {
	before := p.spec()
	p.k, p.link, p.state, p.data = p.k+1, link, state, data
	p.options.forget(p.firstNeeded(p.k))
	if !reflect.DeepEqual(before, p.spec()) {
		p.learner = nil
	}
}

// addMoves adds an iteration's transition counts to those of the previous ones.
func (p *runState) addMoves(tally *pod.TransitionStats) {
	if p.keepsMoves && tally != nil {
		p.moves = p.moves.Merge(tally.Transitions())
	}
}

// keepTheta keeps the weights with an option whose policy must extend to states observed later.
func (p *runState) keepTheta(o *schema.Option, l schema.ValueFunction) {
	if theta, ok := l.(schema.Theta); ok && p.growing() != nil && !o.Certificate.Closed {
		theta.Weights = slices.Clone(theta.Weights)
		o.Theta = &theta
	}
}
