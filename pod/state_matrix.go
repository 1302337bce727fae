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
