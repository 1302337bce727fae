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
	// CheckFull returns an error if the matrix already has too many states to be factored.
	CheckFull() error
	// Dataset returns the matrix to be factored after [EndIteration], whose purposes have that many entries.
	Dataset(features int) (linalg.Dataset, error)
	Clone() StateMatrix
}

// A pairMatrix is a StateMatrix that also learns from the directions of its factors.
type pairMatrix interface {
	StateMatrix
	discover(f schema.Factors)
}

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

// A MatrixBuilder learns the matrix of a method from single transitions.
type MatrixBuilder struct {
	env    envs.Env
	matrix StateMatrix
}

// NewMatrixBuilder returns a builder before any transition, or nil if the method of the spec factors the rows of
// transitions.
func NewMatrixBuilder(env envs.Env, spec schema.Spec) *MatrixBuilder {
	m := NewStateMatrix(env, spec)
	if m == nil {
		return nil
	}
	return &MatrixBuilder{env: env, matrix: m}
}

// Begin begins an iteration: its first transition does not follow the last one.
func (m *MatrixBuilder) Begin() { m.matrix.Begin() }

// Observe learns from the next transition; resets is true if an episode ended with it.
func (m *MatrixBuilder) Observe(transition envs.Transition, resets bool) {
	m.matrix.Observe(transition, resets)
}

// Discover learns from the factors of an iteration, whose steps were observed last.
func (m *MatrixBuilder) Discover(f schema.Factors) { Discover(m.matrix, f) }

// EndIteration ends an iteration, after its last transition.
func (m *MatrixBuilder) EndIteration(ctx context.Context) error { return EndIteration(ctx, m.matrix) }

// Dataset returns the matrix that is factored.
func (m *MatrixBuilder) Dataset() (linalg.Dataset, error) {
	return m.matrix.Dataset(len(m.env.Features()))
}

// Discover makes a matrix learn from factors, if it is one that does.
func Discover(m StateMatrix, f schema.Factors) {
	if p, ok := m.(pairMatrix); ok {
		p.discover(f)
	}
}
