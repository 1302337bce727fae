package learn

import (
	"context"
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
)

// mdp is a decision process as toolboxes state it: for each action, tenths of the
// probability of each successor by state, and rewards by state and action.
type mdp struct {
	tenths  [][][]int64 // by action, state, next state
	rewards [][]float64 // by state, action
}

// sweeper makes the model, and a sweeper of it with the rewards in the place of w(s') − w(s), which is the only
// difference to a run: there [sweeper.setRewards] sets them.
func (m mdp) sweeper(gamma float64) *sweeper {
	states, actions := len(m.rewards), len(m.tenths)
	model := envs.NewStochasticModel(states, actions, func(s, a int) (branches []envs.Branch) {
		for next, weight := range m.tenths[a][s] {
			branches = append(branches, envs.Branch{Next: int32(next), Weight: weight})
		}
		return branches
	})
	sw := newSweeper(model, gamma)
	for edge := range states * actions {
		for range model.Branches.From[edge+1] - model.Branches.From[edge] {
			sw.reward = append(sw.reward, m.rewards[edge/actions][edge%actions])
		}
	}
	return sw
}

// TestPublishedAnswers sweeps the examples of pymdptoolbox to their fixed points.
// Values and policies are those of its tests test_PolicyIteration_small and
// test_PolicyIteration_matrix_forest (tests/test_PolicyIteration.py), the first of
// which come from Octave's MDPtoolbox; the processes those of mdptoolbox.example.small
// and forest(S=3, r1=4, r2=2, p=0.1). All values are above 0, so that ⊥ is never
// chosen.
func TestPublishedAnswers(t *testing.T) {
	tests := []struct {
		name   string
		mdp    mdp
		values []float64
		policy []int8
	}{
		{"small", mdp{
			tenths:  [][][]int64{{{5, 5}, {8, 2}}, {{0, 10}, {1, 9}}},
			rewards: [][]float64{{5, 10}, {-1, 2}},
		}, []float64{42.4418604651163, 36.0465116279070}, []int8{1, 0}},
		{"forest", mdp{
			tenths:  [][][]int64{{{1, 9, 0}, {1, 0, 9}, {1, 0, 9}}, {{10, 0, 0}, {10, 0, 0}, {10, 0, 0}}},
			rewards: [][]float64{{0, 0}, {0, 1}, {4, 2}},
		}, []float64{26.244, 29.484, 33.484}, []int8{0, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sw := tt.mdp.sweeper(0.9)
			if err := sw.runExpected(context.Background(), 1000); err != nil {
				t.Fatal(err)
			}
			for s, want := range tt.values {
				if got := sw.values()[s]; math.Abs(got-want) > 1e-12 {
					t.Errorf("v(%d) = %.15g, published %.15g", s, got, want)
				}
			}
			for s, a := range sw.expectedPolicy(1e-9, 1e-9) {
				if a != tt.policy[s] {
					t.Errorf("action %d in state %d, published %d", a, s, tt.policy[s])
				}
			}
		})
	}
}
