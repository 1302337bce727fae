package pod

// A MatrixBuilder learns the matrix of a method on states from single transitions.
type MatrixBuilder struct{ matrix StateMatrix }

// NewMatrixBuilder returns a builder before any transition, or nil unless env is one as a method on
// states sees it.
func NewMatrixBuilder(env Env) *MatrixBuilder {
	v, ok := env.(*Tabular)
	if !ok {
		return nil
	}
	return &MatrixBuilder{matrix: v.newMatrix()}
}

// Observe learns from the next transition.
func (b *MatrixBuilder) Observe(m Transition) { b.matrix.observe(m) }

// Dataset returns the matrix that is factored.
func (b *MatrixBuilder) Dataset() Dataset { return b.matrix.dataset() }
