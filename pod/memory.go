package pod

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/schema"
)

// Memory of a run per state, in bytes. Measured as the peak of podtrack run with rings
// of 2^22 and 2^24 states, one iteration: 130 to 180 with sweeps, of which the model
// is 40, the tables of a sweep and their record 48, and the policies of options 1
// each.
const (
	stateBytes = 96 // without its edges
	edgeBytes  = 16 // of one action
)

// EstimateMemory returns the least memory that a run of spec in env takes at once, in bytes, both when it is made and
// when it is replayed, if the given number of features change. It depends only on the sizes of env, so that it can be
// checked before the model, the tables and the factors are allocated.
func EstimateMemory(env envs.Env, spec schema.Spec, live int64) int64 {
	states, actions, dims := int64(env.States()), int64(len(env.Actions())), int64(len(env.Features()))
	need := states * (stateBytes + edgeBytes*actions)
	need += learn.EstimateLearnerTables(spec, states, actions, dims)
	if spec.Sides == schema.OneSided {
		need += 8 * states // the numbers of visits
	}
	if spec.SuccessorPasses() > 1 {
		need += matrix.RememberedBytes * spec.Steps
	}
	columns := dims
	switch {
	case spec.StateSet == schema.VisitedStates:
		columns, live = 1, 1 // the number of visited states is unknown until then
	case matrix.TopOf(spec, int(dims)) > 0: // the edges are not known until they are observed
		return need + linalg.EstimateTopMemory(dims, int64(matrix.TopOf(spec, int(dims))), 1, 1)
	case spec.Method.HasMatrix(): // the table of the iteration, and the one that it continues
		need += 2 * 8 * dims * dims
	}
	return need + FactoringOf(env, spec).EstimateMemory(columns, live, 1, 1)
}
