package pod

import "github.com/podtrack/podtrack/schema"

// A StateMatrix is the matrix that a method learns from transitions, in their order, in place of a D
// of their rows. With a cumulative D the next iteration continues with it.
type StateMatrix interface {
	// begin begins an iteration.
	begin()
	// observe learns from the next transition; resets is true if an episode ended with it.
	observe(m Transition, resets bool)
	// checkFull returns an error if it cannot be factored any more, whatever comes.
	checkFull() error
	// dataset returns the matrix to be factored, whose purposes have that many entries.
	dataset(features int) (Dataset, error)
	clone() StateMatrix
}

// A pairMatrix is a StateMatrix that also learns from what its factors discovered.
type pairMatrix interface {
	StateMatrix
	discover(f schema.Factors)
}

// methodEntry is what computes a method that package schema has registered under the same name.
type methodEntry struct {
	newMatrix func(env Env, spec schema.Spec) StateMatrix // nil if D has the rows of transitions
}

// methods are all methods. Each with a matrix is registered by the init function of its file.
var methods = schema.NewRegistry[methodEntry]("method")

func registerMethod(m schema.Method, e methodEntry) { methods.Register(string(m), e) }

func init() {
	registerMethod(schema.POD, methodEntry{})
	registerMethod(schema.ExternalMethod, methodEntry{})
}

// newStateMatrix returns the matrix of a spec's method in env before any transition, nil if D has
// the rows of transitions.
func newStateMatrix(env Env, spec schema.Spec) StateMatrix {
	if spec.Method == "" {
		return nil
	}
	m, err := methods.Find(string(spec.Method))
	if err != nil || m.newMatrix == nil {
		return nil
	}
	return m.newMatrix(env, spec)
}

// maxTouched returns how many states a matrix may be over, 0 for no bound.
func maxTouched(spec schema.Spec) int {
	if spec.StateSet == schema.VisitedStates {
		return MaxMethodStates
	}
	return 0 // [NewEnvForSpec] bounds them
}

// A MatrixBuilder learns the matrix of a method from single transitions.
type MatrixBuilder struct {
	env    Env
	matrix StateMatrix
}

// NewMatrixBuilder returns a builder before any transition, or nil if the method of the spec has no
// matrix but the rows of transitions.
func NewMatrixBuilder(env Env, spec schema.Spec) *MatrixBuilder {
	m := newStateMatrix(env, spec)
	if m == nil {
		return nil
	}
	return &MatrixBuilder{env: env, matrix: m}
}

// Begin begins an iteration: its first transition does not follow the last one.
func (b *MatrixBuilder) Begin() { b.matrix.begin() }

// Observe learns from the next transition; resets is true if an episode ended with it.
func (b *MatrixBuilder) Observe(m Transition, resets bool) { b.matrix.observe(m, resets) }

// Discover learns from the factors of an iteration, whose steps were observed last.
func (b *MatrixBuilder) Discover(f schema.Factors) { discover(b.matrix, f) }

// Dataset returns the matrix that is factored.
func (b *MatrixBuilder) Dataset() (Dataset, error) { return b.matrix.dataset(len(b.env.Features())) }

// discover makes a matrix learn from factors, if it does.
func discover(m StateMatrix, f schema.Factors) {
	if p, ok := m.(pairMatrix); ok {
		p.discover(f)
	}
}
