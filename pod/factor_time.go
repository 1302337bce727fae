package pod

import (
	"time"

	"github.com/podtrack/podtrack/schema"
)

// workRate is about the work of a decomposition that a core does in a second, measured on an AMD
// EPYC of 2021.
const workRate = 4e9

// EstimateFactoringTime returns about how long the factoring of an iteration takes at most, on one
// core: as if every feature changed. It depends on the spec alone, so it is known before the first
// step.
func EstimateFactoringTime(env Env, spec schema.Spec) time.Duration {
	if spec.StateSet == schema.VisitedStates {
		return 0 // how many states are visited is known only then
	}
	dims := len(env.Features()) // the columns of D
	work := 0.0
	switch FactoringOf(env, spec) {
	case Gram:
		work = cube(dims) * (gramWork + diagonaliseWork)
	case Reduced, Scaled:
		rows := float64(max(0, min(spec.Steps, int64(env.States()))))
		work = float64(2*rows*float64(dims)*float64(dims)) + float64(2*3*usualSweeps*cube(dims))
	}
	return time.Duration(work / workRate * float64(time.Second))
}
