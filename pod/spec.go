package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/schema"
)

// Advice of the errors of this file.
const (
	AdviceNoMethod      = "name no method: a recorded D is factored as it is"
	AdviceVisitedStates = "factor a matrix over the visited states alone, of at most %d, or use method %s"
)

// NewEnvForSpec returns the environment of a spec's runs, as the spec's method sees it.
func NewEnvForSpec(spec schema.Spec) (envs.Env, error) {
	env, err := envs.NewEnv(spec.Env)
	if err == nil && !envs.HasActions(env) {
		err = checkWithoutActions(spec)
	}
	if err != nil {
		return nil, err
	}
	if !spec.Method.HasMatrix() || !spec.Method.IsOnStates() {
		return env, nil
	}
	growing, grows := envs.As[envs.GrowingEnv](env)
	if spec.StateSet != schema.VisitedStates {
		if err := checkStateSet(spec, env, grows); err != nil {
			return nil, err
		}
	}
	if grows {
		return envs.NewTabularObservations(growing), nil
	}
	simulated, ok := envs.As[envs.SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("%w: method %s in environment %q", envs.ErrModel, spec.Method, spec.Env.Name)
	}
	if n := env.States(); n > schema.MaxRecordFeatures {
		return nil, schema.Hint(fmt.Errorf("%w: method %s in environment %q of %d states", schema.ErrSpec, spec.Method,
			spec.Env.Name, n),
			"a purpose has a number for each state, of at most %d: use a smaller environment, or method %s",
			schema.MaxRecordFeatures, schema.POD)
	}
	return envs.NewTabular(simulated), nil
}

// checkWithoutActions returns the error of a spec that needs actions, in an environment that has none.
func checkWithoutActions(spec schema.Spec) error {
	wrong := func(remedy, format string, args ...any) error {
		return schema.Hint(fmt.Errorf("%w: %s in environment %q, which has no actions", schema.ErrSpec,
			fmt.Sprintf(format, args...), spec.Env.Name), remedy)
	}
	switch {
	case spec.Sides == schema.OneSided:
		return wrong("without visited states no sign can be chosen: use sides two", "sides one")
	case spec.Behaviour != schema.Uniform:
		return wrong("leave it out", "behaviour %s", spec.Behaviour)
	case spec.MethodSeesTransitions():
		return wrong("let the method declare no input, for the rows of D", "method %s asks for transitions",
			spec.Stages.Method)
	case spec.Method.HasMatrix():
		return wrong(AdviceNoMethod, "method %s", spec.Method)
	}
	return nil
}

// checkStateSet returns the error of a method whose matrix is over all states in an environment where these are
// unknown, or too many.
func checkStateSet(spec schema.Spec, env envs.Env, grows bool) error {
	adviseVisited := func(err error) error {
		return schema.Hint(err, AdviceVisitedStates, matrix.MaxMethodStates, schema.POD)
	}
	if grows {
		return adviseVisited(fmt.Errorf("%w: method %s in environment %q, whose states are known only once they are "+
			"observed", schema.ErrSpec, spec.Method, spec.Env.Name))
	}
	err := fmt.Errorf("%w: method %s in environment %q of %d states", schema.ErrSpec, spec.Method, spec.Env.Name,
		env.States())
	return matrix.CheckStates(spec, env.States(), err, adviseVisited)
}

// PaperIterations is the number of iterations of the paper's experiment.
const PaperIterations = 6

// PaperSpec returns the spec of the paper's experiment (Section 4) with seed 0, full
// observability and the reading as-written.
func PaperSpec() schema.Spec {
	env, err := envs.DefaultEnv(envs.PaperEnv)
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

// NewSpec returns the spec of the paper's experiment in an environment, with seed 0. Without a known model the learner
// is [schema.Empirical], which sweeps over the observed transitions.
func NewSpec(env schema.Env) schema.Spec {
	spec := PaperSpec()
	spec.Env = env
	if env.External != nil {
		spec.Learner = schema.Empirical
	}
	return spec
}

// FactoringOf returns the way in which a spec's runs in env factor D.
func FactoringOf(env envs.Env, spec schema.Spec) linalg.Factoring {
	switch {
	case spec.FeatureScale == schema.RMS:
		return linalg.Scaled
	case spec.Method.HasMatrix():
		return matrix.FactoringOf(spec.Method)
	case envs.HasActions(env) && (spec.Env.External == nil || spec.Env.External.Observes != schema.Real):
		return linalg.Gram // features are whole numbers, as those of all built-in environments are; plain rows can be any
	}
	return linalg.Reduced
}
