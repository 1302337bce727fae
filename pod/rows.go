package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Rows is the environment of a D that was recorded elsewhere: features, and
// neither states nor actions. Nobody can act in it, so a run in it has the one
// iteration whose D it is given, and purposes without options.
type Rows struct {
	dims  int
	model *Model
}

// MaxRowFeatures bounds V, which has a number for each two features, and the time
// that factoring takes, which grows with the third power.
const MaxRowFeatures = 4096

// RowsName is the name of the environment [Rows].
const RowsName = "rows"

// FeaturesParameter is the parameter of [Rows].
const FeaturesParameter = "features"

var rowsBuiltin = Builtin{
	Name:    RowsName,
	Version: 1,
	Usage:   "no states and no actions: the rows of a D that podtrack import takes from a file",
	Parameters: []Parameter{
		{Name: FeaturesParameter, Default: 1, Min: 1, Max: MaxRowFeatures, Usage: "the number of features, the columns of D"},
	},
	build: func(e schema.Env) (Env, error) {
		return &Rows{dims: int(e.Params[FeaturesParameter]), model: newModel(0, 0, nil)}, nil
	},
}

// Walkable says whether an agent can act in an environment.
func Walkable(env Env) bool { return len(env.Actions()) > 0 }

// States implements [Env].
func (r *Rows) States() int { return 0 }

// Actions implements [Env].
func (r *Rows) Actions() []string { return nil }

// Features implements [Env].
func (r *Rows) Features() []string {
	names := make([]string, r.dims)
	for i := range names {
		names[i] = fmt.Sprintf("f%d", i)
	}
	return names
}

// Start implements [Env]. It stands for no state.
func (r *Rows) Start() int { return 0 }

// Step implements [Env]. There is nothing to step from.
func (r *Rows) Step(int, int) int { panic("pod: a step where there are no states") }

// Row implements [Env]: no transition has a class.
func (r *Rows) Row(int, int) int { panic("pod: a transition where there are no states") }

// Rows implements [Env].
func (r *Rows) Rows() int { return 0 }

// Difference implements [Env].
func (r *Rows) Difference(int, []float64) { panic("pod: a row where there are no transitions") }

// Observe implements [Env]: there is no state to observe.
func (r *Rows) Observe(int, []float64) { panic("pod: an observation where there are no states") }

// Potential implements [Env]: w has no entry.
func (r *Rows) Potential([]float64, []float64) {}

// Model implements [Env]: the empty graph.
func (r *Rows) Model() *Model { return r.model }

// Give counts a dataset that was recorded elsewhere as the iteration's own.
func (t *Tally) Give(rows *schema.Rows) error {
	if Walkable(t.env) || rows.Dims != len(t.env.Features()) || t.given != nil {
		return fmt.Errorf("%w: rows of %d features given to an environment of %d features and %d actions",
			schema.ErrMalformed, rows.Dims, len(t.env.Features()), len(t.env.Actions()))
	}
	t.given = &Dataset{Dims: rows.Dims, Rows: rows.Rows, Counts: rows.Counts}
	t.steps = rows.Total
	return nil
}
