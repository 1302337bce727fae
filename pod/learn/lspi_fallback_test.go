package learn

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// scaledEnv has two states for each feature, in which it alone is not 0: 1 in the first, at in the second. It has
// one action.
type scaledEnv struct {
	envs.Env // nothing of it is asked
	at       []float64
}

func (s scaledEnv) States() int        { return 2 * len(s.at) }
func (s scaledEnv) Actions() []string  { return make([]string, 1) }
func (s scaledEnv) Features() []string { return make([]string, len(s.at)) }
func (s scaledEnv) Observe(state int, dst []float64) {
	clear(dst)
	if dst[state/2] = 1; state%2 == 1 {
		dst[state/2] = s.at[state/2]
	}
}
func (s scaledEnv) Potential(_, worth []float64) {
	for i, x := range s.at {
		worth[2*i], worth[2*i+1] = 1, x
	}
}

// gradientsOf returns the gradient system of that many features, and the policy that acts everywhere. The first
// state of each leads to the second, where it is (1 − ε)/γ, so that the equation of its weight θ is
// εθ = (1 − ε)/γ − 1; ε falls from 1/2 by halves.
func gradientsOf(t *testing.T, features int32) (g *gradientSystem, env scaledEnv, policy []int8) {
	const gamma = 0.9
	var moves envs.TransitionCounts
	for i := range features {
		env.at = append(env.at, (1-math.Ldexp(1, int(-i-1)))/gamma)
		moves = append(moves, envs.CountedTransition{Count: 1, Transition: envs.Transition{State: 2 * i, Next: 2*i + 1}})
	}
	spec := podtest.PaperSpec()
	spec.Learner, spec.Gamma = schema.LSPI, gamma
	l := NewLinear(env, spec, moves)
	l.setPurpose(schema.Purpose{})
	c, err := newGramFactors(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return newGradientSystem(l, c), env, make([]int8, env.States())
}

// TestLSPIEliminatesAsGradientsDo: what replaces gradients where they fail gives the same weights where they do not.
func TestLSPIEliminatesAsGradientsDo(t *testing.T) {
	g, env, policy := gradientsOf(t, 20)
	theta := schema.NewTheta(1, len(env.at))
	for name, solve := range map[string]func() (bool, error){
		"gradients":   func() (bool, error) { return g.evaluate(t.Context(), policy, 0, theta) },
		"elimination": func() (bool, error) { return g.eliminate(t.Context(), theta) },
	} {
		g.policy = policy
		clear(theta.Weights)
		if ok, err := solve(); !ok || err != nil {
			t.Fatalf("%s: %v %v", name, ok, err)
		}
		for i, x := range env.at {
			want := (x - 1) / (1 - float64(g.spec.Gamma*x))
			if got := theta.Weights[i+1]; math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s: weight %d is %v, want %v", name, i, got, want)
			}
		}
	}
}

// TestLSPIOfNearlySingular: where gradients do not come to an end, elimination decides, here that the system is
// singular; the ridge is then enough for gradients.
func TestLSPIOfNearlySingular(t *testing.T) {
	g, env, policy := gradientsOf(t, 40)
	theta := schema.NewTheta(1, len(env.at))
	if ok, err := g.evaluate(t.Context(), policy, 0, theta); ok || err != nil || g.eliminated == nil {
		t.Fatalf("%v %v, eliminated: %v", ok, err, g.eliminated != nil)
	}
	if ok, err := g.evaluate(t.Context(), policy, ridge, theta); !ok || err != nil {
		t.Errorf("with a ridge: %v %v", ok, err)
	}
}
