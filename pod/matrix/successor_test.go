package matrix

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// at returns Ψ(s, i), 0 if a state was never touched.
func (s *successor) at(state, i int) float64 {
	row, known := s.places[int32(state)]
	column, too := s.places[int32(i)]
	if !known || !too {
		return 0
	}
	return s.psi[row][column]
}

// TestSuccessorEnds: 0 → 1 → 2, where an episode terminates, or is cut and goes on
// from 0. Beyond a terminal state nothing follows, so Ψ(1,·) is (0, 1, γ).
func TestSuccessorEnds(t *testing.T) {
	const gamma = 0.5
	r := newSuccessor(schema.Spec{Gamma: gamma})
	for range 500 {
		r.Observe(envs.Transition{State: 0, Next: 1}, false)
		r.Observe(envs.Transition{State: 1, Next: 2, Terminal: true}, true)
	}
	for s, want := range [][]float64{{1, gamma, gamma * gamma}, {0, 1, gamma}, {0, 0, 0}} {
		for i, x := range want {
			if got := r.at(s, i); math.Abs(got-x) > 1e-12 {
				t.Errorf("Ψ(%d, %d) is %v, want %v", s, i, got, x)
			}
		}
	}
	d, err := r.Dataset(3)
	if err != nil || len(d.Counts) != 2 {
		t.Errorf("%v, %d rows, want those of the two states that were left", err, len(d.Counts))
	}
}

// TestSuccessorSteps repeats the rule from its definition, over any moves.
func TestSuccessorSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "states")
		gamma := rapid.Float64Range(0, 0.99).Draw(t, "gamma")
		r, psi := newSuccessor(schema.Spec{Gamma: gamma}), map[[2]int]float64{}
		for range rapid.IntRange(0, 40).Draw(t, "moves") {
			m := envs.Transition{State: int32(rapid.IntRange(0, n-1).Draw(t, "s")),
				Next: int32(rapid.IntRange(0, n-1).Draw(t, "next")), Terminal: rapid.Bool().Draw(t, "terminal")}
			r.Observe(m, m.Terminal)
			updated := map[int]float64{}
			for i := range n {
				follows := psi[[2]int{int(m.Next), i}]
				if m.Terminal {
					follows = kronecker(i, int(m.Next))
				}
				here := kronecker(i, int(m.State))
				old := psi[[2]int{int(m.State), i}]
				updated[i] = old + 0.1*(here+gamma*follows-old)
			}
			for i, x := range updated {
				psi[[2]int{int(m.State), i}] = x
			}
		}
		for s := range n {
			for i := range n {
				if got, want := r.at(s, i), psi[[2]int{s, i}]; math.Abs(got-want) > 1e-12 {
					t.Fatalf("Ψ(%d, %d) is %v, want %v", s, i, got, want)
				}
			}
		}
	})
}

// kronecker returns 1 if i and j are equal, and 0 otherwise.
func kronecker(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}
