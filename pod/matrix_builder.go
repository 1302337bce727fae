package pod

import "github.com/podtrack/podtrack/schema"

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
