package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// RowsEnv is the environment of a D that was recorded elsewhere: it has features, but
// neither states nor actions. No agent can act in it, so a run in it has only the one
// iteration whose D is given, and purposes without options.
type RowsEnv struct {
	dims  int
	model *Model
}

// MaxRowFeatures is the largest number of features. V has one entry for each pair of them,
// and the time that factoring takes grows with the third power.
const MaxRowFeatures = 4096

// RowsName is the name of the environment [RowsEnv].
const RowsName = "rows"

// FeaturesParameter is the name of the only parameter of [RowsEnv].
const FeaturesParameter = "features"

var rowsBuiltin = BuiltinEnv{
	Name:    RowsName,
	Version: 1,
	Usage:   "no states and no actions: the rows of a D, imported from a file",
	Parameters: []Parameter{
		{Name: FeaturesParameter, Default: 1, Min: 1, Max: MaxRowFeatures,
			Usage: "the number of features, the columns of D"},
	},
	build: func(e schema.Env) (Env, error) {
		return &RowsEnv{dims: int(e.Params[FeaturesParameter]), model: newModel(0, 0, nil)}, nil
	},
}

// HasActions reports whether an agent can act in env.
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

// Start implements [Env]. It returns 0, which is no state.
func (r *RowsEnv) Start() int { return 0 }

// Step implements [Env]. It panics: there are no states.
func (r *RowsEnv) Step(int, int) int { panic("pod: a step where there are no states") }

// RowClass implements [Env]. It panics: there are no transitions.
func (r *RowsEnv) RowClass(int, int) int { panic("pod: a transition where there are no states") }

// RowsEnv implements [Env].
func (r *RowsEnv) RowClasses() int { return 0 }

// RowDifference implements [Env]. It panics: there are no transitions.
func (r *RowsEnv) RowDifference(int, []float64) { panic("pod: a row where there are no transitions") }

// Observe implements [Env]. It panics: there are no states.
func (r *RowsEnv) Observe(int, []float64) { panic("pod: an observation where there are no states") }

// Potential implements [Env]. It does nothing: w has no entries.
func (r *RowsEnv) Potential([]float64, []float64) {}

// Model implements [Env]: the empty graph.
func (r *RowsEnv) Model() *Model { return r.model }

// AddRows sets a D that was recorded elsewhere as that of the iteration. It returns
// [schema.ErrMalformed] if an agent can act in the environment, the number of features
// differs, or there is a D already.
func (t *TransitionStats) AddRows(rows *schema.Rows) error {
	if HasActions(t.env) || rows.Dims != len(t.env.Features()) || t.recorded != nil {
		return fmt.Errorf("%w: rows of %d features given to an environment of %d features and %d actions",
			schema.ErrMalformed, rows.Dims, len(t.env.Features()), len(t.env.Actions()))
	}
	t.recorded = &Dataset{Dims: rows.Dims, Rows: rows.Rows, Counts: rows.Counts}
	t.steps = rows.Total
	return nil
}
