package envs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of this file.
const (
	AdviceDeclaration   = "change what the program declares"
	AdviceFewerActions  = "declare fewer actions"
	AdviceFewerFeatures = "declare fewer features"
)

// ErrEnvFailed reports that an external environment failed: it exited, did not answer, or
// gave an invalid answer.
var ErrEnvFailed = errors.New("the environment failed")

// ErrEnvNotRepeatable reports that an external environment did not repeat its earlier results.
var ErrEnvNotRepeatable = errors.New("the environment is not reproducible")

// ErrEnvMismatch reports that a program declares another environment than the run needs.
var ErrEnvMismatch = errors.New("the program declares another environment than the run's")

// ErrOtherVersion is the ErrEnvMismatch of a program that differs from the run's in its version alone.
var ErrOtherVersion = fmt.Errorf("%w", ErrEnvMismatch)

// Bounds on the declaration of an environment in another process. Features are bounded because V has an entry for each
// pair of them.
const (
	MaxFeatures  = MaxRowFeatures
	maxNameBytes = 100 // of an action, a feature or a registered environment
)

// CheckDeclaration returns an error unless an environment in another process may declare e.
// It must not have the name of a built-in environment. A recorded run may: that name can have become a
// built-in one since.
func CheckDeclaration(e schema.Env) error {
	if _, _, builtin := environments.Newest(e.Name); builtin {
		return declarationError("the name %q, which is that of a built-in environment", e.Name)
	}
	_, err := newExternalEnv(e)
	return err
}

// newExternalEnv returns the external environment that a spec names, after checking
// everything that it declares.
func newExternalEnv(e schema.Env) (Env, error) {
	x := *e.External
	declared := schema.CheckDeclared(e.Name, x.Version, e.Text)
	switch {
	case declared != nil:
		return nil, declarationError("%w", declared)
	case e.Version != 0 || len(e.Params) > 0:
		return nil, declarationError("version %d and parameters %v; an external environment has them as text",
			e.Version, e.Params)
	case len(x.Actions) < 1 || len(x.Actions) > schema.MaxActions:
		return nil, schema.Hint(declarationError("%d actions; there can be 1 to %d", len(x.Actions), schema.MaxActions),
			AdviceFewerActions)
	case x.Size < 1 || x.Size > MaxFeatures:
		return nil, schema.Hint(declarationError("%d features, or discrete observations; there can be 1 to %d", x.Size,
			MaxFeatures), AdviceFewerFeatures)
	}
	if err := cmp.Or(checkFeatures(x), checkNames(declarationError, "action", x.Actions)); err != nil {
		return nil, err
	}
	for name := range e.Text {
		if slices.Contains(fieldNames(), name) {
			return nil, declarationError("the parameter %q, which is a field of every spec", name)
		}
	}
	env := &External{ObservedStates: newObservedStates(x.Observes, int(x.Size)), actions: x.Actions, features: x.Features}
	if x.Observes == schema.Discrete {
		env.features = numbered("state", int(x.Size))
	}
	return env, nil
}

func declarationError(format string, args ...any) error {
	return schema.Hint(fmt.Errorf("%w: an environment in another process declares "+format,
		append([]any{schema.ErrSpec}, args...)...),
		AdviceDeclaration)
}

func checkFeatures(x schema.External) error {
	switch x.Observes {
	case schema.Discrete:
		if len(x.Features) > 0 {
			return declarationError("%d names of features of discrete observations, which have none", len(x.Features))
		}
		return nil
	case schema.Binary, schema.Real:
		if int64(len(x.Features)) != x.Size {
			return declarationError("%d names of %d features", len(x.Features), x.Size)
		}
		return checkNames(declarationError, "feature", x.Features)
	}
	return declarationError("observations of kind %.80q; the kinds are %s, %s and %s", x.Observes, schema.Discrete,
		schema.Binary, schema.Real)
}

// checkNames returns an error, as newError makes it, unless all names are printable and distinct.
func checkNames(newError func(format string, args ...any) error, what string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !schema.IsPrintable(name, maxNameBytes) {
			return newError("the %s %.80q; a name has 1 to %d printable characters", what, name, maxNameBytes)
		}
		if seen[name] {
			return newError("the %s %.80q; there is another one of that name", what, name)
		}
		seen[name] = true
	}
	return nil
}

// fieldNames returns the names of a spec's fields, which no parameter can have.
func fieldNames() []string {
	return append(append(schema.OptionalFields(), "reading", "data", schema.EnvVersion), (schema.Spec{}).FieldNames()...)
}

// External is an environment in another process. Only its observations are known: its states are [ObservedStates]. It
// implements [GrowingEnv].
type External struct {
	*ObservedStates
	actions, features []string
}

// Observed implements [GrowingEnv].
func (e *External) Observed() *ObservedStates { return e.ObservedStates }

// Prefix implements [GrowingEnv]. The view shares memory with e.
func (e *External) Prefix(n int) GrowingEnv {
	before, seen := *e, *e.ObservedStates
	seen.index, seen.observations = nil, seen.observations[:n:n]
	before.ObservedStates = &seen
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
