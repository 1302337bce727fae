package learn

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// Experience holds the observed transitions, for learners without a known model.
type Experience struct {
	Transitions envs.TransitionCounts // of the iteration, or of all iterations so far if the dataset is cumulative
	FirstChunk  *schema.Transitions   // the iteration's first chunk, only for [schema.QLearning]
}

// An observingLearner is the common part of the learners from experience.
type observingLearner struct {
	env         envs.Env
	spec        schema.Spec
	transitions envs.TransitionCounts
	model       *envs.Model // estimated from the transitions
	states      int         // length of a policy: the environment's states, or those seen so far
	observed    []int       // observed states, ascending
	w           []float64   // potential of the current purpose, by state
}

func newExperience(env envs.Env, spec schema.Spec, transitions envs.TransitionCounts) *observingLearner {
	return &observingLearner{
		env: env, spec: spec, transitions: transitions, model: WithObservedModel(env, transitions).Model(),
		states: env.States(), observed: observedStates(transitions), w: make([]float64, env.States()),
	}
}

// observedStates returns the states in which transitions begin or end, in ascending order.
func observedStates(transitions envs.TransitionCounts) []int {
	states := make([]int, 0, 2*len(transitions))
	for _, m := range transitions {
		states = append(states, int(m.State), int(m.Next))
	}
	slices.Sort(states)
	return slices.Clip(slices.Compact(states))
}

// setPurpose sets w to the potential of a purpose and returns the tolerance in effect.
func (o *observingLearner) setPurpose(p schema.Purpose) (tolerance float64) {
	o.env.Potential(p.Vector, o.w)
	return EffectiveTolerance(o.spec, o.w, 0)
}

// newOption returns the option with the given policy and its certificate; q returns q(s,·). Whether the option
// terminates is judged by the observed transitions.
func (o *observingLearner) newOption(p schema.Purpose, policy []int8, tolerance float64,
	q func(s int) []float64) *schema.Option {
	c := schema.Certificate{Termination: schema.Unknown, Tolerance: tolerance, MaxSteps: o.spec.MaxOptionSteps}
	option := &schema.Option{Purpose: p, Arity: o.model.Actions, Policy: policy}
	countStarts(option, &c)
	if len(o.observed) > 0 {
		c.PeakQ = slices.Max(q(o.peakState()))
	}
	ends := TerminatingStates(o.model, policy)
	if !slices.ContainsFunc(o.observed, func(s int) bool { return !ends[s] }) {
		c.Termination = schema.Observed
		o.measurePaths(*option, &c)
	}
	option.Certificate = c
	return option
}

// peakState returns the observed state of the largest w, the first one on ties.
func (o *observingLearner) peakState() int {
	return slices.MaxFunc(o.observed, func(s, t int) int { return cmp.Compare(o.w[s], o.w[t]) })
}

// measurePaths sets the path lengths in c, from observed states, if every action of the policy was observed with only
// one outcome. Otherwise a state has no single path.
func (o *observingLearner) measurePaths(option schema.Option, c *schema.Certificate) {
	policy := option.Policy
	option.Policy = slices.Repeat([]int8{schema.Terminate}, len(policy))
	for _, s := range o.observed {
		option.Policy[s] = policy[s]
		if policy[s] == schema.Terminate {
			continue
		}
		outcomes := 0
		o.model.VisitSuccessors(s, int(policy[s]), func(n envs.Successor) {
			outcomes++
			if n.Terminal && policy[n.Next] != schema.Terminate {
				outcomes++ // the episode ends where the policy would continue
			}
		})
		if outcomes != 1 {
			return
		}
	}
	c.Acyclic = true
	paths := newPolicyPaths(o.model)
	paths.follow(option.Policy)
	paths.measure(&option, c)
}
