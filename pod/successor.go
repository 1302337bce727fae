package pod

import "slices"

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
	states   int
	gamma    float64
	psi      []float64 // states×states
	departed []bool    // states that a transition began in
}

func newSuccessor(states int, gamma float64) *successor {
	return &successor{states: states, gamma: gamma, psi: make([]float64, states*states), departed: make([]bool, states)}
}

func (r *successor) row(s int) []float64 { return r.psi[s*r.states : (s+1)*r.states] }

func (r *successor) observe(m Transition) {
	s, n := int(m.State), int(m.Next)
	here, there := r.row(s), r.row(n)
	r.departed[s] = true
	for i, x := range here {
		next := there[i]
		if m.Terminal {
			next = 0
			if i == n {
				next = 1
			}
		}
		target := float64(r.gamma * next)
		if i == s {
			target++
		}
		here[i] = x + float64(StepSize*(target-x))
	}
}

func (r *successor) clone() StateMatrix {
	return &successor{states: r.states, gamma: r.gamma, psi: slices.Clone(r.psi), departed: slices.Clone(r.departed)}
}

// dataset returns Ψ, one row for each state that a transition began in.
func (r *successor) dataset() Dataset {
	return matrixDataset(r.states, func(s int) []float64 {
		if !r.departed[s] {
			return nil
		}
		return slices.Clone(r.row(s))
	})
}
