package pod

import "github.com/podtrack/podtrack/schema"

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
