package pod

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// lookupEnv returns an environment of this program. Of an unknown one it says that there
// are others, or that another program has it.
func lookupEnv(name string, version uint64) (RegisteredEnv, error) {
	b, err := envs.Lookup(name, version)
	if _, newest, known := envs.Newest(name); known && err != nil && isOwned(name) {
		return b, schema.Advise(fmt.Errorf("%w: this program has version %d of environment %q, not version %d",
			schema.ErrSpec, newest, name, version), AdviceRegisterEnv, name)
	} else if !known && isOwned(name) {
		return b, schema.Advise(fmt.Errorf("%w: this program does not have environment %q", schema.ErrSpec, name),
			AdviceRegisterEnv, name)
	} else if !known {
		err = schema.Advise(err, AdviceEnvNames,
			schema.Choice{Word: name, Kind: "environments", Known: EnvNames()})
	}
	return b, err
}

// DefaultEnv returns the named environment with its default parameters.
func DefaultEnv(name string) (schema.Env, error) {
	_, version, _ := envs.Newest(name)
	b, err := lookupEnv(name, version)
	if err != nil {
		return schema.Env{}, err
	}
	params := map[string]int64{}
	for _, p := range b.Parameters {
		params[p.Name] = p.Default
	}
	e := schema.Env{Name: b.Name, Version: b.Version, Params: params}
	for _, c := range b.TextParameters {
		if e.Text == nil {
			e.Text = map[string]string{}
		}
		e.Text[c.Name] = c.Default
	}
	return e, nil
}

// NewEnv returns the environment that e names, after checking every parameter.
func NewEnv(e schema.Env) (Env, error) {
	if e.External != nil {
		return newExternalEnv(e)
	}
	b, err := lookupEnv(e.Name, e.Version)
	if err != nil {
		return nil, err
	}
	for _, p := range b.Parameters {
		v, ok := e.Params[p.Name]
		if !ok || v < p.Min || v > p.Max {
			return nil, schema.Hint(fmt.Errorf("%w: %s %d of environment %q", schema.ErrSpec, p.Name, v, e.Name),
				"%s is %s, %d to %d", p.Name, p.Usage, p.Min, p.Max)
		}
	}
	for _, c := range b.TextParameters {
		if v, ok := e.Text[c.Name]; !ok || c.Values != nil && !slices.Contains(c.Values, v) {
			return nil, schema.Hint(fmt.Errorf("%w: %s %q of environment %q", schema.ErrSpec, c.Name, v, e.Name),
				"%s is %s: one of %v", c.Name, c.Usage, c.Values)
		}
	}
	if len(e.Params) != len(b.Parameters) || len(e.Text) != len(b.TextParameters) || e.External != nil {
		return nil, schema.Advise(fmt.Errorf("%w: environment %q takes other parameters than %v",
			schema.ErrSpec, e.Name, e.Parameters()), AdviceEnvParameters)
	}
	return buildEnv(b, e)
}

// MaxMethodStates is the largest number of states for the methods that factor a matrix
// over states: decomposing it takes time that grows with the third power.
const MaxMethodStates = 2048

// NewEnvForSpec returns the environment of a spec's runs, as the spec's method sees it.
func NewEnvForSpec(spec schema.Spec) (Env, error) {
	env, err := NewEnv(spec.Env)
	if err == nil && spec.Sides == schema.OneSided && !HasActions(env) {
		return nil, schema.Hint(fmt.Errorf("%w: sides one in environment %q, which has no actions", schema.ErrSpec,
			spec.Env.Name), "where no state was visited no sign can be chosen: use sides two")
	}
	if err == nil && spec.MethodSeesTransitions() && !HasActions(env) {
		return nil, schema.Hint(fmt.Errorf("%w: method %s asks for transitions in environment %q, which has none",
			schema.ErrSpec, spec.Stages.Method, spec.Env.Name), "let the method declare no input, for the rows of D")
	}
	if err != nil || !spec.Method.HasMatrix() {
		return env, err
	}
	if !HasActions(env) {
		return nil, schema.Advise(fmt.Errorf("%w: method %s in environment %q, which has no actions", schema.ErrSpec,
			spec.Method, spec.Env.Name),
			AdviceNoMethod)
	}
	if !spec.Method.IsOnStates() {
		return env, nil
	}
	growing, grows := As[GrowingEnv](env)
	if spec.StateSet != schema.VisitedStates && (grows || env.States() > MaxMethodStates) {
		return nil, newStateSetError(spec, env, grows)
	}
	if grows {
		return newTabularObservations(growing), nil
	}
	simulated, ok := As[SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w: method %s in environment %q", ErrModel, spec.Method, spec.Env.Name)
	}
	if n := env.States(); n > schema.MaxRecordFeatures {
		return nil, schema.Hint(fmt.Errorf("%w: method %s in environment %q of %d states", schema.ErrSpec, spec.Method,
			spec.Env.Name, n),
			"a purpose has a number for each state, of at most %d: use a smaller environment, or method %s",
			schema.MaxRecordFeatures, schema.POD)
	}
	return newTabular(simulated), nil
}

// newStateSetError returns the error of a method whose matrix would be over all states where these are
// not known, or too many.
func newStateSetError(spec schema.Spec, env Env, grows bool) error {
	err := fmt.Errorf("%w: method %s in environment %q of %d states", schema.ErrSpec, spec.Method, spec.Env.Name,
		env.States())
	if grows {
		err = fmt.Errorf("%w: method %s in environment %q, whose states are known only once they are observed",
			schema.ErrSpec, spec.Method, spec.Env.Name)
	}
	return schema.Advise(err, AdviceVisitedStates, MaxMethodStates, schema.POD)
}
