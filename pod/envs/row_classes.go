package envs

import "github.com/podtrack/podtrack/schema"

// RowClasses sorts the transitions of an environment into classes whose rows of D,
// φ(s') − φ(s), are the same, so that they are counted by class. Two classes may have equal
// rows.
type RowClasses interface {
	RowClasses() int                          // number of classes
	RowClass(s, a int) int                    // class of a transition, below RowClasses
	RowDifference(class int) schema.SparseRow // row of a class
}

// RowClassesOf returns the classes that env defines, or one for each state and action.
func RowClassesOf(env SteppableEnv) RowClasses {
	if own, ok := env.(RowClasses); ok { // not [As]: a view has other rows than what it shows
		return own
	}
	return edgeClasses{env: env, actions: len(env.Actions()), difference: NewDifference(env)}
}

// edgeClasses has one class for each state and action.
type edgeClasses struct {
	env        SteppableEnv
	actions    int
	difference func(s, next int) schema.SparseRow
}

func (e edgeClasses) RowClasses() int { return e.env.States() * e.actions }

func (e edgeClasses) RowClass(s, a int) int { return s*e.actions + a }

func (e edgeClasses) RowDifference(class int) schema.SparseRow {
	s := class / e.actions
	return e.difference(s, e.env.Step(s, class%e.actions))
}

// NewDifference returns the function φ(next) − φ(s). Where features are one-hot its cost does not grow with them.
func NewDifference(env Env) func(s, next int) schema.SparseRow {
	if e, ok := env.(*External); ok && e.kind == schema.Discrete {
		return func(s, next int) schema.SparseRow {
			return UnitDifference(int32(e.discreteNumber(s)), int32(e.discreteNumber(next)))
		}
	}
	if HasStateFeatures(env) {
		return func(s, next int) schema.SparseRow { return UnitDifference(int32(s), int32(next)) }
	}
	features := len(env.Features())
	return func(s, next int) schema.SparseRow {
		row := make([]float64, features) // of each call its own, since runs share environments
		FeatureDifference(env, s, next, row)
		return schema.NewSparseRow(row)
	}
}

// UnitDifference returns the difference of two unit vectors: φ(next) − φ(s) where each state is a feature.
func UnitDifference(from, to int32) schema.SparseRow {
	left, entered := schema.RowEntry{Feature: from, Value: -1}, schema.RowEntry{Feature: to, Value: 1}
	switch {
	case from == to:
		return schema.SparseRow{}
	case from < to:
		return schema.SparseRow{left, entered}
	}
	return schema.SparseRow{entered, left}
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
