package matrix

import "github.com/podtrack/podtrack/schema"

// Advice of the errors of this file.
const (
	AdviceFewerVisits     = "visit fewer states in what is factored: %d at most"
	AdviceTop             = "compute the first directions alone: all are computed of up to %d states"
	AdviceTopOrVisited    = "compute the first directions alone, or factor the visited states: all are of %d at most"
	AdviceFewerDirections = "compute fewer directions: %d of them are over %d states at most"
)

// MaxMethodStates is the largest number of states for which all directions of a matrix over states are computed: that
// takes time that grows with the third power. For more states see [TopOf].
const MaxMethodStates = 2048

// maxTopNumbers is the largest number of entries of V if only the first directions are computed: as many as it has with
// all directions of [MaxMethodStates] states.
const maxTopNumbers = MaxMethodStates * MaxMethodStates

// TopOf returns how many directions of a spec's matrix over that many states are computed: 0 for all of them. Of more
// than [MaxMethodStates] states these are only the first, as many as the spec selects.
func TopOf(spec schema.Spec, states int) int {
	if states <= MaxMethodStates {
		return 0
	}
	return topOf(spec)
}

// topOf returns how many directions a spec selects if nothing needs any other one, and they can be computed alone: the
// matrix is sparse and symmetric, with no eigenvalue below 0. Otherwise it returns 0.
func topOf(spec schema.Spec) int {
	rule, err := spec.Select.ParseRule()
	if err != nil || rule.By != schema.ByRank || spec.Basis == schema.RowsOfV || !isSymmetric(spec.Method) {
		return 0
	}
	return rule.N
}

// IsCentred reports whether the rows of a spec's matrix over that many states are recorded before the mean of each is
// taken away, so that they are sparse: see [linalg.Dataset].
func IsCentred(spec schema.Spec, states int) bool {
	return spec.Method == schema.Covering && TopOf(spec, states) > 0
}

func isSymmetric(m schema.Method) bool { return m == schema.Laplacian || m == schema.Covering }

// maxStates returns the largest number of states that a spec's matrix may be over.
func maxStates(spec schema.Spec) int {
	if n := topOf(spec); n > 0 {
		return max(MaxMethodStates, maxTopNumbers/n)
	}
	return MaxMethodStates
}

// CheckStates returns an error if a spec's matrix cannot be over that many states. If another selection would help,
// the error has that remedy; otherwise it has the given one.
func CheckStates(spec schema.Spec, states int, tooMany error, otherwise func(error) error) error {
	switch most := maxStates(spec); {
	case states <= most:
		return nil
	case topOf(spec) > 0:
		return schema.Hint(tooMany, AdviceFewerDirections, topOf(spec), most)
	case !isSymmetric(spec.Method):
		return otherwise(tooMany)
	case spec.StateSet == schema.VisitedStates:
		return schema.Hint(tooMany, AdviceTop, MaxMethodStates)
	}
	return schema.Hint(tooMany, AdviceTopOrVisited, MaxMethodStates)
}
