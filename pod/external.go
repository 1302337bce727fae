package pod

import "github.com/podtrack/podtrack/schema"

// External is an environment in another process, of which only what was observed is known:
// its states are [ObservedStates]. It implements [GrowingEnv].
type External struct {
	*ObservedStates
	actions, features []string
}

func newExternal(x schema.External) *External {
	e := &External{ObservedStates: newObservedStates(x.Observes, int(x.Size)), actions: x.Actions, features: x.Features}
	if x.Observes == schema.Discrete {
		e.features = numbered("state", int(x.Size))
	}
	return e
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
	row := make([]float64, e.dims)
	for s := range w {
		w[s] = e.potentialAt(vector, s, row)
	}
}

// ExtendPolicies implements [GrowingEnv].
func (e *External) ExtendPolicies(options []*schema.Option) {
	row, q := make([]float64, e.dims), make([]float64, len(e.actions))
	for _, o := range options {
		for s := len(o.Policy); o.Theta != nil && s < e.States(); s++ {
			for a := range q {
				weights := o.Theta.ActionWeights(a)
				q[a] = e.potentialAt(weights[1:], s, row) + weights[0]
			}
			o.Policy = append(o.Policy, GreedyAction(q, o.Certificate.Tolerance))
		}
	}
}
