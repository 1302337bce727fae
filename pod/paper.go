package pod

import "github.com/podtrack/podtrack/schema"

// PaperIterations is the number of iterations of the paper's experiment.
const PaperIterations = 6

// paperEnv is the name of the environment of the paper's experiment.
const paperEnv = "ring"

// PaperSpec returns the spec of the paper's experiment (Section 4) with seed 0, full
// observability and the reading as-written.
func PaperSpec() schema.Spec {
	env, err := DefaultEnv(paperEnv)
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

// NewSpec returns the spec of the paper's experiment in an environment, with seed 0. In one whose
// model is not known the learner is [schema.Empirical], which sweeps over the observed transitions.
func NewSpec(env schema.Env) schema.Spec {
	spec := PaperSpec()
	spec.Env = env
	if env.External != nil {
		spec.Learner = schema.Empirical
	}
	return spec
}
