package pod

import "fmt"

// Tabular is an environment as the methods on states see it: one feature for each state, 1
// there and 0 elsewhere. D is then the method's matrix.
type Tabular struct {
	SimulatedEnv
	method methodEntry
	gamma  float64
}

// unwrap returns the environment that v shows.
func (v *Tabular) unwrap() Env { return v.SimulatedEnv }

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
