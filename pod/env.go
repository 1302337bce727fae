package pod

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// An Env is the state space that an agent acts in: states 0…S−1, primitive actions 0…A−1
// and feature vectors φ(s). capabilities.go has the interfaces of what else an environment
// may know of itself.
type Env interface {
	States() int        // S
	Actions() []string  // names, in action order
	Features() []string // names, in feature order

	// Observe sets dst to φ(s).
	Observe(s int, dst []float64)

	// Potential sets w(s) = eᵀφ(s), the terms added in feature order.
	Potential(e, w []float64)
}

// A Parameter is an integer parameter of a built-in environment.
type Parameter struct {
	Name              string
	Default, Min, Max int64
	Usage             string
}

// A TextParameter is a parameter of a built-in environment that is text: one of Values or,
// if there are none, any text that the environment accepts.
type TextParameter struct {
	Name, Default string
	Values        []string
	Usage         string
}

// A BuiltinEnv is an environment that is part of this program and known by name.
type BuiltinEnv struct {
	Name           string
	Version        uint64
	Usage          string
	Parameters     []Parameter
	TextParameters []TextParameter
	Build          func(schema.Env) (Env, error) // given parameters within their bounds
}

// BuiltinEnvs returns the newest version of each of [Envs].
func BuiltinEnvs() []BuiltinEnv { return Envs.Values() }

// lookupEnv returns an environment of this program. Of an unknown one it says that there
// are others.
func lookupEnv(name string, version uint64) (BuiltinEnv, error) {
	b, err := Envs.Lookup(name, version)
	if _, _, known := Envs.Newest(name); !known {
		err = schema.Advise(err, AdviceEnvNames, Envs.Names())
	}
	return b, err
}

// DefaultEnv returns the named environment with its default parameters.
func DefaultEnv(name string) (schema.Env, error) {
	_, version, _ := Envs.Newest(name)
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

// PaperSpec returns the spec of the paper's experiment (Section 4) with seed 0, full
// observability and the reading as-written.
func PaperSpec() schema.Spec {
	env, err := DefaultEnv(ringBuiltin.Name)
	if err != nil {
		panic(err)
	}
	return schema.Spec{
		Numerics:  schema.NumericsVersion,
		Env:       env,
		Steps:     1000,
		Kappa:     1,
		Gamma:     0.99,
		Sweeps:    100,
		Tolerance: 1e-9,
		Basis:     schema.RightSingular,
		Dataset:   schema.PerIteration,
		Select:    schema.Threshold,
		Learner:   schema.Sweeps,
	}
}

// PaperIterations is the number of iterations of the paper's experiment.
const PaperIterations = 6

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
	return b.Build(e)
}
