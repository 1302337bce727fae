package learn_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// unmodelledEnv is an environment with any features and no model.
type unmodelledEnv struct {
	envs.Env // nothing of it is asked
	features [][]float64
	actions  int
}

func (u unmodelledEnv) States() int                  { return len(u.features) }
func (u unmodelledEnv) Observe(s int, dst []float64) { copy(dst, u.features[s]) }
func (u unmodelledEnv) Actions() []string            { return make([]string, u.actions) }
func (u unmodelledEnv) Features() []string           { return make([]string, len(u.features[0])) }
func (u unmodelledEnv) Potential(e, worth []float64) {
	for s, phi := range u.features {
		worth[s] = 0
		for i, x := range phi {
			worth[s] += e[i] * x
		}
	}
}

func oneHot(states, actions int) unmodelledEnv {
	w := unmodelledEnv{actions: actions}
	for s := range states {
		phi := make([]float64, states)
		phi[s] = 1
		w.features = append(w.features, phi)
	}
	return w
}

func learningSpec(l schema.Learner, gamma float64, sweeps int64) schema.Spec {
	s := pod.PaperSpec()
	s.Learner, s.Gamma, s.Sweeps, s.MaxOptionSteps = l, gamma, sweeps, 1000
	return s
}

func optionLearner(t rapid.TB, env envs.Env, spec schema.Spec, seen learn.Experience) learn.OptionLearner {
	t.Helper()
	l, err := learn.NewOptionLearner(env, spec, seen)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// learned returns the option of a learner, and q.
func learned(t rapid.TB, w unmodelledEnv, spec schema.Spec, seen learn.Experience, vector []float64) (*schema.Option,
	[]float64) {
	t.Helper()
	p := schema.Purpose{J: 1, Sign: 1, Vector: vector}
	learning := optionLearner(t, w, spec, seen)
	o, l, err := learning.Learn(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := learning.Conclude(p, l)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o, again); diff != "" {
		t.Fatalf("the option and what is concluded again (-learned +concluded):\n%s", diff)
	}
	return o, learn.ActionValues(learn.WithObservedModel(w, seen.Transitions), vector, l, spec.Gamma)
}

func drawMoves(t *rapid.T, states, actions int) envs.TransitionCounts {
	move := rapid.Custom(func(t *rapid.T) envs.CountedTransition {
		return envs.CountedTransition{Count: rapid.Int64Range(1, 9).Draw(t, "count"), Transition: envs.Transition{
			State:    rapid.Int32Range(0, int32(states-1)).Draw(t, "state"),
			Next:     rapid.Int32Range(0, int32(states-1)).Draw(t, "next"),
			Action:   rapid.Uint8Range(0, uint8(actions-1)).Draw(t, "action"),
			Terminal: rapid.IntRange(0, 4).Draw(t, "terminal") == 0,
		}}
	})
	return envs.TransitionCounts(nil).Merge(rapid.SliceOfN(move, 1, 40).Draw(t, "moves"))
}

// TestLSPIIsEmpirical: on one-hot features least squares are exact, so that policy
// iteration ends where sweeps on the observed model do, whatever was observed.
func TestLSPIIsEmpirical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, actions := rapid.IntRange(2, 8).Draw(t, "states"), rapid.IntRange(1, 3).Draw(t, "actions")
		w, seen := oneHot(states, actions), learn.Experience{Transitions: drawMoves(t, states, actions)}
		gamma := rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(t, "gamma")
		vector := rapid.SliceOfN(rapid.Float64Range(-1, 1), states, states).Draw(t, "e")
		a, swept := learned(t, w, learningSpec(schema.Empirical, gamma, 2000), seen, vector)
		b, solved := learned(t, w, learningSpec(schema.LSPI, gamma, 200), seen, vector)
		for i, q := range swept {
			if math.Abs(q-solved[i]) > 1e-7 {
				t.Fatalf("q(%d, %d) is %v by sweeps and %v by least squares", i/actions, i%actions, q, solved[i])
			}
		}
		for s := range a.Policy {
			q := slices.Clone(swept[s*actions : (s+1)*actions])
			slices.Sort(q)
			clear := math.Abs(q[actions-1]) > 1e-6 && (actions == 1 || q[actions-1]-q[actions-2] > 1e-6)
			if clear && a.Policy[s] != b.Policy[s] {
				t.Fatalf("action %d by sweeps and %d by least squares in state %d, of q %v", a.Policy[s], b.Policy[s],
					s, q)
			}
		}
	})
}

// stream returns a walk of random actions under a graph's moves.
func stream(t *rapid.T, next []int, states, actions, n int) learn.Experience {
	c := &schema.Transitions{Arity: actions, Next: []uint32{}}
	random, s := rng.NewStream(rapid.Uint64().Draw(t, "seed"), 0, "test"), 0
	for range n {
		a := random.Below(actions)
		s = next[s*actions+a]
		c.Actions, c.Next = append(c.Actions, uint8(a)), append(c.Next, uint32(s))
	}
	w := oneHot(states, actions)
	return learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
}

// TestQLearningConverges: on one-hot features in a deterministic environment, passes over
// the stream converge to the fixed point of the sweeps.
func TestQLearningConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, actions := rapid.IntRange(2, 6).Draw(t, "states"), rapid.IntRange(1, 3).Draw(t, "actions")
		next := rapid.SliceOfN(rapid.IntRange(0, states-1), states*actions, states*actions).Draw(t, "next")
		w, seen := oneHot(states, actions), stream(t, next, states, actions, 300)
		vector := rapid.SliceOfN(rapid.Float64Range(-1, 1), states, states).Draw(t, "e")
		_, swept := learned(t, w, learningSpec(schema.Empirical, 0.8, 500), seen, vector)
		_, q := learned(t, w, learningSpec(schema.QLearning, 0.8, 200), seen, vector)
		for i := range swept { // weights have a q of states that were not observed, too
			if math.Abs(q[i]-swept[i]) > 1e-9 {
				t.Fatalf("q(%d, %d) is %v by sweeps and %v by Q-learning", i/actions, i%actions, swept[i], q[i])
			}
		}
	})
}

// TestEnds: three states in a row with w 0, 1 and 3. Nothing is added beyond a terminated
// episode; beyond a truncated one the value is.
func TestEnds(t *testing.T) {
	w, vector := oneHot(3, 1), []float64{0, 1, 3}
	tests := []struct {
		name       string
		terminated bool
		want       float64 // q(0): 1, and γ v(1) = 0.5 × 2 where the time was up
	}{
		{"terminated", true, 1},
		{"truncated", false, 2},
	}
	for _, tt := range tests {
		c := &schema.Transitions{Arity: 1, Actions: []uint8{0, 0}, Next: []uint32{1, 2},
			Episodes: []schema.Episode{{Step: 1, State: 1, Terminated: tt.terminated}}}
		seen := learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
		for _, l := range []schema.Learner{schema.Empirical, schema.LSPI, schema.QLearning} {
			o, q := learned(t, w, learningSpec(l, 0.5, 50), seen, vector)
			if diff := cmp.Diff([]float64{tt.want, 2, 0}, q); diff != "" {
				t.Errorf("%s, %s: q (-want +got):\n%s", l, tt.name, diff)
			}
			want := schema.Certificate{Termination: schema.Observed, Acyclic: o.Certificate.Acyclic,
				Longest: o.Certificate.Longest,
				Reach:   o.Certificate.Reach, Initiation: 2, Tolerance: o.Certificate.Tolerance, MaxSteps: 1000}
			if diff := cmp.Diff(want, o.Certificate); diff != "" {
				t.Errorf("%s, %s: certificate (-want +got):\n%s", l, tt.name, diff)
			}
		}
	}
}

// TestConstant: states 0 and 1 with the one feature φ = s, each leading to the other:
// q(0) = 1 + γ max(0, q(1)) = 1 and q(1) = −1 + γ q(0) = −½ for γ = ½, so that the
// constant is 1 and the feature's weight −1½.
func TestConstant(t *testing.T) {
	w := unmodelledEnv{features: [][]float64{{0}, {1}}, actions: 1}
	c := &schema.Transitions{Arity: 1, Actions: []uint8{0, 0, 0, 0}, Next: []uint32{1, 0, 1, 0}}
	seen := learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
	for _, l := range []schema.Learner{schema.LSPI, schema.QLearning} {
		_, theta, err := optionLearner(t, w, learningSpec(l, 0.5, 300), seen).Learn(context.Background(),
			schema.Purpose{J: 1, Sign: 1, Vector: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{1, -1.5} {
			if got := theta.(schema.Theta).Weights[i]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: weight %d is %v, want %v", l, i, got, want)
			}
		}
	}
}

// TestUnobservedIsNotInI: a policy from experience acts only in states that were left, and
// ends elsewhere.
func TestUnobservedIsNotInI(t *testing.T) {
	env := podtest.Ring(t, 4, 0)
	c := &schema.Transitions{Actions: []uint8{1, 1, 0}, Arity: 2} // 0 → 1 → 2 → 1
	seen := learn.Experience{Transitions: envs.CountTransitions(env, c)}
	p := schema.Purpose{J: 1, Sign: 1, Vector: []float64{1, 2, 4, 8}} // the larger the state, the better
	o, _, err := optionLearner(t, env, learningSpec(schema.Empirical, 0.9, 100), seen).Learn(context.Background(),
		p)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Repeat([]int8{schema.Terminate}, 16)
	want[0], want[1] = 1, 1
	if diff := cmp.Diff(want, o.Policy); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	reach := 1.5
	certificate := schema.Certificate{Termination: schema.Observed, Acyclic: true, Longest: 2, Reach: &reach,
		Initiation: 2,
		Tolerance:  o.Certificate.Tolerance, MaxSteps: 1000} // in state 2, right was not tried, and so is worth 0
	if diff := cmp.Diff(certificate, o.Certificate); diff != "" {
		t.Errorf("certificate (-want +got):\n%s", diff)
	}
}

// TestUnknownEnd: termination is unknown if the weights lead out of what was observed.
func TestUnknownEnd(t *testing.T) {
	w := unmodelledEnv{features: [][]float64{{1, 0}, {2, 0}, {3, 0}}, actions: 2}
	c := &schema.Transitions{Arity: 2, Actions: []uint8{0, 0}, Next: []uint32{1, 2}} // up, and nothing after that
	seen := learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
	o, _ := learned(t, w, learningSpec(schema.QLearning, 0.9, 100), seen, []float64{1, 0})
	if o.Policy[2] == schema.Terminate || o.Certificate.Termination != schema.Unknown ||
		o.Certificate.MaxSteps != 1000 {
		t.Errorf("action %d in the last state, certificate %+v", o.Policy[2], o.Certificate)
	}
}

// TestFiniteWeights: features near the largest float give a clear error rather than a
// record that cannot be written.
func TestFiniteWeights(t *testing.T) {
	w := unmodelledEnv{features: [][]float64{{1e200}, {-1e200}}, actions: 1}
	c := &schema.Transitions{Arity: 1, Actions: []uint8{0, 0}, Next: []uint32{1, 0}}
	seen := learn.Experience{Transitions: envs.CountTransitions(w, c), FirstChunk: c}
	for _, l := range []schema.Learner{schema.LSPI, schema.QLearning} {
		_, theta, err := optionLearner(t, w, learningSpec(l, 0.9, 10), seen).Learn(context.Background(),
			schema.Purpose{J: 1, Sign: 1, Vector: []float64{1}})
		if err == nil {
			_, err = theta.(schema.Theta).Encode()
		}
		if err != nil && (!errors.Is(err, learn.ErrNoWeights) || schema.Remedy(err) == "") {
			t.Errorf("%s: %v", l, err)
		}
	}
}

func TestCheckLearner(t *testing.T) {
	build := func(name string, set ...string) (envs.Env, schema.Spec) {
		e, err := envs.DefaultEnv(name)
		if err != nil {
			t.Fatal(err)
		}
		spec := pod.PaperSpec()
		spec.Env = e
		for _, pair := range set {
			name, value, _ := strings.Cut(pair, "=")
			if err := spec.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		env, err := envs.NewEnv(spec.Env)
		if err != nil {
			t.Fatal(err)
		}
		return env, spec
	}
	chance, spec := build("grid", "slip=100")
	sure, _ := build("grid")
	_, large := build("grid")
	large.Env.Text["map"] = openMap(23)
	wide, err := envs.NewEnv(large.Env)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		env     envs.Env
		learner schema.Learner
		instead schema.Learner // one that can, "" where it can
	}{
		{"exact, chance", chance, schema.Exact, schema.Sweeps},
		{"sweeps, chance", chance, schema.Sweeps, ""},
		{"exact, no chance", sure, schema.Exact, ""},
		{"sweeps, no model", oneHot(3, 2), schema.Sweeps, schema.Empirical},
		{"exact, no model", oneHot(3, 2), schema.Exact, schema.Empirical},
		{"empirical, no model", oneHot(3, 2), schema.Empirical, ""},
		{"lspi, 2120 weights", wide, schema.LSPI, ""},
		{"lspi, 2²⁰ weights", withUnused(oneHot(1, 64), 1<<14-2), schema.LSPI, ""},
		{"lspi, 64 more", withUnused(oneHot(1, 64), 1<<14-1), schema.LSPI, schema.Empirical},
		{"q-learning, 2050 weights", oneHot(1024, 2), schema.QLearning, ""},
	}
	for _, tt := range tests {
		s := spec
		s.Learner = tt.learner
		err := learn.CheckLearner(tt.env, s)
		var h *schema.HintedError
		if (err == nil) != (tt.instead == "") || err != nil &&
			(!errors.Is(err, schema.ErrSpec) || !errors.As(err, &h) || !slices.Contains(h.Values, any(tt.instead))) {
			t.Errorf("%s: %v, want the remedy %q", tt.name, err, tt.instead)
		}
	}
}

// openMap returns a square without walls.
func openMap(side int) string {
	lines := []string{strconv.Itoa(side) + "," + strconv.Itoa(side)}
	for range side {
		lines = append(lines, strings.Repeat(".", side))
	}
	lines[1] = "S" + lines[1][1:]
	return strings.Join(lines, "\n") + "\n"
}
