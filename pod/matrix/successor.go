package matrix

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

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
	touchedStates
	part     schema.PsiPart
	gamma    float64
	psi      [][]float64 // by place
	departed []bool      // by place: whether a transition began there
}

func newSuccessor(spec schema.Spec) *successor {
	return &successor{
		touchedStates: newTouchedStates(spec), part: spec.PsiPart, gamma: spec.SuccessorGamma(),
	}
}

// placeOf returns the place of a state, with its row and column if it is new.
func (s *successor) placeOf(state int32) int {
	p := s.touchedStates.placeOf(state)
	if n := len(s.states); n > len(s.psi) {
		for i := range s.psi {
			s.psi[i] = append(s.psi[i], 0)
		}
		s.psi, s.departed = append(s.psi, make([]float64, n)), append(s.departed, false)
	}
	return p
}

func (s *successor) Observe(m envs.Transition, _ bool) {
	if s.isFull() {
		return
	}
	from, to := s.placeOf(m.State), s.placeOf(m.Next)
	here, there := s.psi[from], s.psi[to]
	s.departed[from] = true
	for i, x := range here {
		next := there[i]
		if m.Terminal {
			next = 0
			if i == to {
				next = 1
			}
		}
		target := float64(s.gamma * next)
		if i == from {
			target++
		}
		here[i] = x + float64(StepSize*(target-x))
	}
}

func (s *successor) Clone() StateMatrix {
	c := &successor{touchedStates: s.clone(), part: s.part, gamma: s.gamma, departed: slices.Clone(s.departed)}
	for _, row := range s.psi {
		c.psi = append(c.psi, slices.Clone(row))
	}
	return c
}

// Dataset returns Ψ, one row for each state that a transition began in, or its symmetric part (Ψ + Ψᵀ)/2, one row for
// each state that a transition began or ended in.
//
// The covering eigenoptions of 2023 follow the eigenvector of the largest eigenvalue of the symmetric part. It is the
// first right singular vector, too: Ψ has no negative entry, so that no eigenvalue is larger in magnitude than the
// largest, and the vector of that has entries of one sign (Perron & Frobenius). Further singular values are magnitudes
// of eigenvalues, some of which are negative.
func (s *successor) Dataset(states int) (linalg.Dataset, error) {
	var rows []stateRow
	symmetric := s.part == schema.SymmetricPart
	for place, row := range s.psi {
		if !symmetric && !s.departed[place] {
			continue
		}
		rows = append(rows, func(visit func(place int, x float64)) {
			for i, x := range row {
				if symmetric {
					x = (x + s.psi[i][place]) / 2
				}
				visit(i, x)
			}
		})
	}
	return s.dataset(states, rows)
}
