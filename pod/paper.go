package pod

import "github.com/podtrack/podtrack/schema"

// PaperIterations is the number of iterations of the paper's experiment.
const PaperIterations = 6

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
