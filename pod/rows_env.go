package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// RowsEnv is the environment of a D that was recorded elsewhere: features, and
// neither states nor actions. Nobody can act in it, so a run in it has the one
// iteration whose D it is given, and purposes without options.
type RowsEnv struct {
	dims  int
	model *Model
}

// MaxRowFeatures bounds V, which has a number for each two features, and the time
// that factoring takes, which grows with the third power.
const MaxRowFeatures = 4096

// RowsName is the name of the environment [RowsEnv].
const RowsName = "rows"

// FeaturesParameter is the parameter of [RowsEnv].
const FeaturesParameter = "features"

var rowsBuiltin = BuiltinEnv{
	Name:    RowsName,
	Version: 1,
	Usage:   "no states and no actions: the rows of a D that podtrack import takes from a file",
	Parameters: []Parameter{
		{Name: FeaturesParameter, Default: 1, Min: 1, Max: MaxRowFeatures, Usage: "the number of features, the columns of D"},
	},
	build: func(e schema.Env) (Env, error) {
		return &RowsEnv{dims: int(e.Params[FeaturesParameter]), model: newModel(0, 0, nil)}, nil
	},
}

// HasActions says whether an agent can act in an environment.
func HasActions(env Env) bool { return len(env.Actions()) > 0 }

// States implements [Env].
func (r *RowsEnv) States() int { return 0 }

// Actions implements [Env].
func (r *RowsEnv) Actions() []string { return nil }

// Features implements [Env].
func (r *RowsEnv) Features() []string {
	names := make([]string, r.dims)
	for i := range names {
		names[i] = fmt.Sprintf("f%d", i)
	}
	return names
}

// Start implements [Env]. It stands for no state.
func (r *RowsEnv) Start() int { return 0 }

// Step implements [Env]. There is nothing to step from.
func (r *RowsEnv) Step(int, int) int { panic("pod: a step where there are no states") }

// RowClass implements [Env]: no transition has a class.
func (r *RowsEnv) RowClass(int, int) int { panic("pod: a transition where there are no states") }

// RowsEnv implements [Env].
func (r *RowsEnv) RowClasses() int { return 0 }

// RowDifference implements [Env].
func (r *RowsEnv) RowDifference(int, []float64) { panic("pod: a row where there are no transitions") }

// Observe implements [Env]: there is no state to observe.
func (r *RowsEnv) Observe(int, []float64) { panic("pod: an observation where there are no states") }

// Potential implements [Env]: w has no entry.
func (r *RowsEnv) Potential([]float64, []float64) {}

// Model implements [Env]: the empty graph.
func (r *RowsEnv) Model() *Model { return r.model }

// AddRows counts a dataset that was recorded elsewhere as the iteration's own.
func (t *TransitionStats) AddRows(rows *schema.Rows) error {
	if HasActions(t.env) || rows.Dims != len(t.env.Features()) || t.recorded != nil {
		return fmt.Errorf("%w: rows of %d features given to an environment of %d features and %d actions",
			schema.ErrMalformed, rows.Dims, len(t.env.Features()), len(t.env.Actions()))
	}
	t.recorded = &Dataset{Dims: rows.Dims, Rows: rows.Rows, Counts: rows.Counts}
	t.steps = rows.Total
	return nil
}
