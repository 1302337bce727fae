package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Tabular is an environment as the methods on states see it: one feature for each state, 1
// there and 0 elsewhere. D is then the method's matrix.
type Tabular struct {
	SimulatedEnv
	method methodEntry
	gamma  float64
}

// MaxMethodStates is the largest number of states for the methods that factor a matrix
// over states: decomposing it takes time that grows with the third power.
const MaxMethodStates = 2048

// NewEnvForSpec returns the environment of a spec's runs, as the spec's method sees it.
func NewEnvForSpec(spec schema.Spec) (Env, error) {
	env, err := NewEnv(spec.Env)
	if err != nil || spec.Method == "" {
		return env, err
	}
	if !HasActions(env) {
		return nil, schema.Advise(fmt.Errorf("%w: method %s in environment %q, which has no actions", schema.ErrSpec,
			spec.Method, spec.Env.Name),
			AdviceNoMethod)
	}
	simulated, ok := env.(SimulatedEnv)
	if !ok {
		return nil, schema.Hint(fmt.Errorf("%w: method %s in environment %q, which another process runs",
			schema.ErrSpec, spec.Method, spec.Env.Name),
			"its states are known only once they are observed: use method %s, and discrete observations "+
				"for one feature a state", schema.POD)
	}
	if n := env.States(); n > MaxMethodStates {
		return nil, schema.Hint(fmt.Errorf("%w: method %s in environment %q of %d states", schema.ErrSpec, spec.Method,
			spec.Env.Name, n),
			"its matrix has a row and a column for each state: use an environment of at most %d, or method %s",
			MaxMethodStates, schema.POD)
	}
	method, err := methods.LookupOrNewest(string(spec.Method), spec.Numerics)
	if err != nil {
		return nil, err
	}
	return &Tabular{SimulatedEnv: simulated, method: method, gamma: spec.Gamma}, nil
}

// Features implements [Env]: the names of the states.
func (v *Tabular) Features() []string {
	names, namer := make([]string, v.States()), v.stateName
	if own, ok := v.SimulatedEnv.(StateNamer); ok {
		namer = own.StateName
	}
	for s := range names {
		names[s] = namer(s)
	}
	return names
}

func (v *Tabular) stateName(s int) string { return fmt.Sprintf("state%d", s) }

// Observe implements [Env].
func (v *Tabular) Observe(s int, dst []float64) {
	clear(dst)
	dst[s] = 1
}

// Potential implements [Env].
func (v *Tabular) Potential(e, w []float64) { copy(w, e) }

// newMatrix returns the method's matrix before any transition.
func (v *Tabular) newMatrix() StateMatrix { return v.method.newMatrix(v.States(), v.gamma) }

// A StateMatrix is the matrix that a method on states learns from transitions, in their
// order. With a cumulative D the next iteration continues with it.
type StateMatrix interface {
	observe(m Transition)
	dataset() Dataset // the matrix to be factored
	clone() StateMatrix
}

// matrixDataset returns the dataset of rows that stand for states, each with count 1. A
// state of which nothing was learned has no row.
func matrixDataset(states int, row func(s int) []float64) Dataset {
	var rows []countedRow
	for s := range states {
		if r := row(s); r != nil {
			rows = append(rows, countedRow{r, 1})
		}
	}
	return newDataset(states, rows)
}
