package matrix

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// A StateMatrix is the matrix that a method learns from transitions, in their order, in place of a D
// of their rows. With a cumulative D the next iteration continues with it.
type StateMatrix interface {
	// Begin begins an iteration.
	Begin()
	// Observe learns from the next transition; resets is true if an episode ended with it.
	Observe(m envs.Transition, resets bool)
	// End learns what is left of an iteration after its last transition. It must be called before the matrix is
	// factored, or cloned for the next iteration; a second call does nothing. After an error, which is that of ctx,
	// the matrix must not be used.
	End(ctx context.Context) error
	// Discover learns from the factors of the iteration.
	Discover(f schema.Factors)
	// CheckFull returns an error if the matrix already has too many states to be factored.
	CheckFull() error
	// Dataset returns the matrix to be factored, whose purposes have that many entries.
	Dataset(features int) (linalg.Dataset, error)
	Clone() StateMatrix
}

// stepwise is the part of a [StateMatrix] that learns from single transitions alone, and is never full.
type stepwise struct{}

func (stepwise) Begin()                    {}
func (stepwise) End(context.Context) error { return nil }
func (stepwise) Discover(schema.Factors)   {}
func (stepwise) CheckFull() error          { return nil }

// methods are the methods with a matrix: what it is before any transition, and how it is factored. With other methods D
// has the rows of transitions.
var methods = map[schema.Method]struct {
	newMatrix func(env envs.Env, spec schema.Spec) StateMatrix
	factoring linalg.Factoring
}{
	schema.Laplacian:         {onStates(newAdjacency), linalg.Symmetric},
	schema.Covering:          {onStates(newCovering), linalg.Symmetric},
	schema.Successor:         {onStates(newSuccessor), linalg.Bidiagonal},
	schema.SuccessorFeatures: {newSuccessorFeatures, linalg.Bidiagonal},
	schema.Counts:            {onStates(newVisitCounts), linalg.Reduced},
}

// onStates returns a function that makes a matrix over states, which needs no environment.
func onStates[M StateMatrix](newMatrix func(schema.Spec) M) func(envs.Env, schema.Spec) StateMatrix {
	return func(_ envs.Env, spec schema.Spec) StateMatrix { return newMatrix(spec) }
}

// NewStateMatrix returns the matrix of a spec's method in env before any transition, nil if D has
// the rows of transitions.
func NewStateMatrix(env envs.Env, spec schema.Spec) StateMatrix {
	m, has := methods[spec.Method]
	switch passes := spec.SuccessorPasses(); {
	case !has:
		return nil
	case passes > 1:
		return &repeated{StateMatrix: m.newMatrix(env, spec), passes: passes}
	}
	return m.newMatrix(env, spec)
}

// FactoringOf returns the way in which the matrix of a method is factored.
func FactoringOf(m schema.Method) linalg.Factoring { return methods[m].factoring }
