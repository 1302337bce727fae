package envs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// declared returns an environment of another process with two actions.
func declared(kind schema.Observation, size int) schema.Env {
	x := &schema.External{Version: "1", Actions: []string{"a", "b"}, Observes: kind, Size: int64(size),
		Features: []string{}}
	for i := range size {
		if kind != schema.Discrete {
			x.Features = append(x.Features, fmt.Sprint("f", i))
		}
	}
	return schema.Env{Name: "elsewhere", Params: map[string]int64{}, External: x}
}

func newExternal(t testing.TB, kind schema.Observation, size int) *envs.External {
	t.Helper()
	env, err := envs.NewEnv(declared(kind, size))
	if err != nil {
		t.Fatal(err)
	}
	return env.(*envs.External)
}

// drawObservation returns one of few, as bytes, and its features.
func drawObservation(t *rapid.T, kind schema.Observation, size int) (b []byte, phi []float64) {
	phi = make([]float64, size)
	switch kind {
	case schema.Discrete:
		n := rapid.IntRange(0, size-1).Draw(t, "number")
		phi[n] = 1
		return []byte{byte(n), byte(n >> 8), 0, 0}, phi
	case schema.Binary:
		bits := rapid.SliceOfN(rapid.Uint8Range(0, 1), size, size).Draw(t, "bits")
		for i, x := range bits {
			phi[i] = float64(x)
		}
		return envs.AppendBinaryObservation(nil, bits), phi
	}
	for i := range phi {
		phi[i] = rapid.SampledFrom([]float64{0, -1, 0.5}).Draw(t, "feature")
	}
	return envs.AppendRealObservation(nil, phi), phi
}

// TestNamesOfBuiltinEnvs: no program declares the name of a built-in environment, but a run
// that was recorded before there was one keeps its environment.
func TestNamesOfBuiltinEnvs(t *testing.T) {
	env := declared(schema.Discrete, 4)
	if err := envs.CheckDeclaration(env); err != nil {
		t.Error(err)
	}
	env.Name = "grid"
	if err := envs.CheckDeclaration(env); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a program declares the name of a built-in environment: %v", err)
	}
	if _, err := envs.NewEnv(env); err != nil {
		t.Errorf("a recorded environment: %v", err)
	}
}

// TestNamesOfFields: no environment has a parameter of the name of a field.
func TestNamesOfFields(t *testing.T) {
	for _, name := range schema.OptionalFields() {
		env := declared(schema.Discrete, 4)
		env.Text = map[string]string{name: "3"}
		if err := envs.CheckDeclaration(env); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("a program declares the parameter %s: %v", name, err)
		}
	}
}

// TestExternal sees observations, forgets some, and records them chunk by chunk: every
// state is what was seen, and what is loaded is what was recorded.
func TestExternal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]schema.Observation{schema.Discrete, schema.Binary, schema.Real}).Draw(rt, "kind")
		size := rapid.IntRange(1, 11).Draw(rt, "size")
		x, again := newExternal(t, kind, size), newExternal(t, kind, size)
		var seen [][]float64
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			if rapid.IntRange(0, 9).Draw(rt, "forgets") == 0 {
				n := rapid.IntRange(again.States(), x.States()).Draw(rt, "left")
				x.Truncate(n)
				seen = seen[:n]
			}
			b, phi := drawObservation(rt, kind, size)
			s, err := x.Intern(b)
			if err != nil {
				rt.Fatal(err)
			}
			if s == len(seen) {
				seen = append(seen, phi)
			}
			if diff := cmp.Diff(seen[s], phi); diff != "" {
				rt.Fatalf("state %d: %s", s, diff)
			}
			if rapid.IntRange(0, 4).Draw(rt, "records") == 0 {
				load(rt, x, again)
			}
		}
		load(rt, x, again)
		checkSeen(rt, again, seen)
		checkSeen(rt, x.Prefix(len(seen)/2), seen[:len(seen)/2])
	})
}

// load makes known what is new, from the bytes of its record.
func load(t *rapid.T, x, again *envs.External) {
	record, err := x.ObservationsFrom(again.States()).Encode()
	if err != nil {
		t.Fatal(err)
	}
	o, err := schema.DecodeObservations(record)
	if err == nil {
		err = again.LoadObservations(&o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.Len() > 0 {
		if err := again.LoadObservations(&o); !errors.Is(err, wire.ErrMalformed) {
			t.Fatalf("loaded twice: %v", err)
		}
	}
}

func checkSeen(t *rapid.T, x envs.GrowingEnv, seen [][]float64) {
	if x.States() != len(seen) {
		t.Fatalf("%d states, want %d", x.States(), len(seen))
	}
	vector := make([]float64, len(x.Features()))
	for i := range vector {
		vector[i] = float64(i) - 1.5
	}
	w, phi := make([]float64, len(seen)), make([]float64, len(vector))
	x.Potential(vector, w)
	for s, want := range seen {
		x.Observe(s, phi)
		sum := 0.0
		for i := range phi {
			sum += vector[i] * phi[i] // exact: halves
		}
		if !slices.Equal(phi, want) || w[s] != sum {
			t.Fatalf("state %d: φ %v and w %v, want %v and %v", s, phi, w[s], want, sum)
		}
	}
}

// TestExtendPolicies: an option of weights has an action in a state that was first
// observed after it was learned, and it is the action that the weights give for all states
// at once.
func TestExtendPolicies(t *testing.T) {
	x := newExternal(t, schema.Real, 2)
	theta := schema.Theta{Actions: 2, Width: 3, Weights: []float64{0.5, 1, 0, -0.5, 0, 2}}
	o := &schema.Option{Arity: 2, Purpose: schema.Purpose{Vector: []float64{1, 1}}, Theta: &theta}
	plain := &schema.Option{Arity: 2}
	for _, phi := range [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0.5, 0.75}} {
		if _, err := x.Intern(envs.AppendRealObservation(nil, phi)); err != nil {
			t.Fatal(err)
		}
		envs.ExtendPolicies(x, []*schema.Option{o, plain})
	}
	// q(s,a) = θ_a0 + θ_a1 x + θ_a2 y: (1.5, −0.5), (0.5, 1.5), (−0.5, −0.5), (1, 1).
	if want := []int8{0, 1, schema.Terminate, 0}; !slices.Equal(o.Policy, want) {
		t.Errorf("policy %v, want %v", o.Policy, want)
	}
	q := learn.ActionValues(learn.WithObservedModel(x, nil), o.Purpose.Vector, theta, 0.9)
	for s, a := range o.Policy {
		if got := envs.GreedyAction(q[2*s:2*s+2], 0); got != a {
			t.Errorf("state %d: %d by the policy, %d by q %v", s, a, got, q[2*s:2*s+2])
		}
	}
	if plain.Policy != nil {
		t.Errorf("an option without weights has the policy %v", plain.Policy)
	}
}

func TestAlignStates(t *testing.T) {
	a, b := newExternal(t, schema.Discrete, 9), newExternal(t, schema.Discrete, 9)
	for _, n := range []byte{4, 2, 7} {
		_, _ = a.Intern([]byte{n, 0, 0, 0})
	}
	for _, n := range []byte{7, 8, 4} {
		_, _ = b.Intern([]byte{n, 0, 0, 0})
	}
	places, states := envs.AlignStates(a.ObservedStates, b.ObservedStates)
	if states != 4 || !slices.Equal(places[0], []int32{0, 1, 2}) || !slices.Equal(places[1], []int32{2, 3, 0}) {
		t.Errorf("%v of %d states", places, states)
	}
}

// TestStateText: observations as text.
func TestStateText(t *testing.T) {
	binary, real := newExternal(t, schema.Binary, 3), newExternal(t, schema.Real, 2)
	if _, err := binary.Intern(envs.AppendBinaryObservation(nil, []uint8{0, 1, 1})); err != nil {
		t.Fatal(err)
	}
	if _, err := real.Intern(envs.AppendRealObservation(nil, []float64{0.5, -1})); err != nil {
		t.Fatal(err)
	}
	if a, b := binary.StateText(0), real.StateText(0); a != "011" || b != "0.5/-1" || binary.Width() != 3 {
		t.Errorf("%q and %q", a, b)
	}
}
