package envs

// RowClasses sorts the transitions of an environment into classes whose rows of D,
// φ(s') − φ(s), are the same, so that they are counted by class. Two classes may have equal
// rows.
type RowClasses interface {
	RowClasses() int                        // number of classes
	RowClass(s, a int) int                  // class of a transition, below RowClasses
	RowDifference(class int, dst []float64) // sets dst to the row of a class
}

// RowClassesOf returns the classes that env defines, or one for each state and action.
func RowClassesOf(env SteppableEnv) RowClasses {
	if own, ok := env.(RowClasses); ok { // not [As]: a view has other rows than what it shows
		return own
	}
	return edgeClasses{env: env, actions: len(env.Actions())}
}

// edgeClasses has one class for each state and action.
type edgeClasses struct {
	env     SteppableEnv
	actions int
}

func (e edgeClasses) RowClasses() int { return e.env.States() * e.actions }

func (e edgeClasses) RowClass(s, a int) int { return s*e.actions + a }

func (e edgeClasses) RowDifference(class int, dst []float64) {
	s := class / e.actions
	FeatureDifference(e.env, s, e.env.Step(s, class%e.actions), dst)
}

// FeatureDifference sets dst to φ(next) − φ(s).
func FeatureDifference(env Env, s, next int, dst []float64) {
	before := make([]float64, len(dst))
	env.Observe(s, before)
	env.Observe(next, dst)
	for i := range dst {
		dst[i] -= before[i]
	}
}
