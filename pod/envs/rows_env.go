package envs

import (
	"github.com/podtrack/podtrack/schema"
)

// rowsEnv is the environment of a D that was recorded elsewhere: it has features, but neither states nor actions. No
// agent can act in it, so a run in it has only one iteration, with the imported D, and purposes without options.
type rowsEnv struct{ dims int }

// MaxRowFeatures is the largest number of features. V has one entry for each pair of them,
// and the time that factoring takes grows with the third power.
const MaxRowFeatures = 4096

// RowsName is the name of the environment of imported rows.
const RowsName = "rows"

// FeaturesParameter is the name of the only parameter of the environment [RowsName].
const FeaturesParameter = "features"

func init() {
	registerBuiltin(RegisteredEnv{
		Name:    RowsName,
		Version: 1,
		Usage:   "no states and no actions: the rows of a D, imported from a file",
		States:  "none",
		Parameters: []Parameter{
			{Name: FeaturesParameter, Default: 1, Min: 1, Max: MaxRowFeatures,
				Usage: "the number of features, the columns of D"},
		},
		Build: func(e schema.Env) (Env, error) {
			return &rowsEnv{dims: int(e.Params[FeaturesParameter])}, nil
		},
	})
}

// States implements [Env].
func (r *rowsEnv) States() int { return 0 }

// Actions implements [Env].
func (r *rowsEnv) Actions() []string { return nil }

// Features implements [Env].
func (r *rowsEnv) Features() []string {
	return numbered("f", r.dims)
}

// Observe implements [Env]. There is no state to observe.
func (r *rowsEnv) Observe(int, []float64) {}

// Potential implements [Env]: w has no entries.
func (r *rowsEnv) Potential([]float64, []float64) {}
