package matrix

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

func init() {
	registerMethod(schema.Successor, methodEntry{
		newMatrix: func(_ envs.Env, spec schema.Spec) StateMatrix { return newSuccessor(spec) },
	})
}

// StepSize is the step size with which a successor representation is learned, as in the
// tabular experiments of Machado et al., "Eigenoption Discovery through the Deep Successor
// Representation" (2018).
const StepSize = 0.1

// successor is the successor representation, learned by TD(0) from 0: after each
// transition from s to s',
//
//	Ψ(s,·) ← Ψ(s,·) + StepSize [1_s + γ Ψ(s',·) − Ψ(s,·)].
//
// If an episode terminated in s', nothing follows: Ψ(s',·) is then taken as 1_s'.
type successor struct {
	touched  touchedStates
	visited  bool // whether the matrix is only over the touched states
	gamma    float64
	psi      [][]float64 // by place
	departed []bool      // by place: whether a transition began there
}

func newSuccessor(spec schema.Spec) *successor {
	return &successor{
		touched: newTouchedStates(maxTouched(spec)), visited: spec.StateSet == schema.VisitedStates,
		gamma: spec.SuccessorGamma(),
	}
}

func (r *successor) Begin() {}

// placeOf returns the place of a state, with its row and column if it is new.
func (r *successor) placeOf(state int32) int {
	p := r.touched.placeOf(state)
	if n := len(r.touched.states); n > len(r.psi) {
		for i := range r.psi {
			r.psi[i] = append(r.psi[i], 0)
		}
		r.psi, r.departed = append(r.psi, make([]float64, n)), append(r.departed, false)
	}
	return p
}

func (r *successor) Observe(m envs.Transition, _ bool) {
	if r.touched.isFull() {
		return
	}
	from, to := r.placeOf(m.State), r.placeOf(m.Next)
	here, there := r.psi[from], r.psi[to]
	r.departed[from] = true
	for i, x := range here {
		next := there[i]
		if m.Terminal {
			next = 0
			if i == to {
				next = 1
			}
		}
		target := float64(r.gamma * next)
		if i == from {
			target++
		}
		here[i] = x + float64(StepSize*(target-x))
	}
}

func (r *successor) CheckFull() error { return r.touched.checkFull() }

func (r *successor) Clone() StateMatrix {
	c := &successor{touched: r.touched.clone(), visited: r.visited, gamma: r.gamma, departed: slices.Clone(r.departed)}
	for _, row := range r.psi {
		c.psi = append(c.psi, slices.Clone(row))
	}
	return c
}

// Dataset returns Ψ, one row for each state that a transition began in.
func (r *successor) Dataset(states int) (linalg.Dataset, error) {
	var rows []stateRow
	for place, row := range r.psi {
		if !r.departed[place] {
			continue
		}
		rows = append(rows, func(visit func(place int, x float64)) {
			for i, x := range row {
				visit(i, x)
			}
		})
	}
	return r.touched.dataset(states, r.visited, rows)
}
