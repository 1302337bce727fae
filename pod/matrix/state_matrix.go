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

// methodEntry is the implementation of a method that package schema has registered under the same name.
type methodEntry struct {
	newMatrix func(env envs.Env, spec schema.Spec) StateMatrix // nil if D has the rows of transitions
	factoring linalg.Factoring                                 // of that matrix
}

// methods are all methods. Each with a matrix is registered by the init function of its file.
var methods = schema.NewRegistry[methodEntry]("method")

func registerMethod(m schema.Method, e methodEntry) { methods.Register(string(m), e) }

func init() {
	registerMethod(schema.POD, methodEntry{})
	registerMethod(schema.ExternalMethod, methodEntry{})
}

// NewStateMatrix returns the matrix of a spec's method in env before any transition, nil if D has
// the rows of transitions.
func NewStateMatrix(env envs.Env, spec schema.Spec) StateMatrix {
	if spec.Method == "" {
		return nil
	}
	m, err := methods.Find(string(spec.Method))
	if err != nil || m.newMatrix == nil {
		return nil
	}
	if passes := spec.SuccessorPasses(); passes > 1 {
		return &repeated{StateMatrix: m.newMatrix(env, spec), passes: passes}
	}
	return m.newMatrix(env, spec)
}

// FactoringOf returns the way in which the matrix of a method is factored.
func FactoringOf(m schema.Method) linalg.Factoring {
	e, err := methods.Find(string(m))
	if err != nil {
		return linalg.Reduced
	}
	return e.factoring
}
