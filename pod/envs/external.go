package envs

import "github.com/podtrack/podtrack/schema"

// External is an environment in another process. Only its observations are known: its states are [ObservedStates]. It
// implements [GrowingEnv].
type External struct {
	*ObservedStates
	actions, features []string
}

// Observed implements [GrowingEnv].
func (e *External) Observed() *ObservedStates { return e.ObservedStates }

// Prefix implements [GrowingEnv].
func (e *External) Prefix(n int) GrowingEnv {
	before := *e
	before.ObservedStates = e.prefix(n)
	return &before
}

// Actions implements [Env].
func (e *External) Actions() []string { return e.actions }

// Features implements [Env].
func (e *External) Features() []string { return e.features }

// Potential implements [Env], for as many of the states as w has room for.
func (e *External) Potential(vector, w []float64) {
	var terms StateTerms
	for s := range w {
		e.FeatureTerms(s, 0, &terms)
		w[s] = terms.Dot(vector)
	}
}

// ExtendPolicies implements [GrowingEnv].
func (e *External) ExtendPolicies(options []*schema.Option) {
	extendPolicies(e, options, func(s int, terms *StateTerms) { e.FeatureTerms(s, 1, terms) })
}

// extendPolicies extends the policies of options with weights to all states. setTerms sets terms, none so far,
// to the features of a state.
func extendPolicies(env Env, options []*schema.Option, setTerms func(s int, terms *StateTerms)) {
	first := env.States()
	for _, o := range options {
		if o.Theta != nil {
			first = min(first, len(o.Policy))
		}
	}
	q, terms := make([]float64, len(env.Actions())), StateTerms{}
	for s := first; s < env.States(); s++ {
		setTerms(s, &terms) // for all of the options
		for _, o := range options {
			if o.Theta != nil && len(o.Policy) == s {
				terms.qWithConstant(*o.Theta, q)
				o.Policy = append(o.Policy, GreedyAction(q, o.Certificate.Tolerance))
			}
		}
	}
}
