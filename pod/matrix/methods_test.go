package matrix

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// walkOf returns the transitions of a walk through states.
func walkOf(states ...int32) (moves []envs.Transition) {
	for i := 1; i < len(states); i++ {
		moves = append(moves, envs.Transition{State: states[i-1], Next: states[i]})
	}
	return moves
}

// methodOf returns the method of a matrix.
func methodOf(m StateMatrix) schema.Method {
	switch m.(type) {
	case *adjacency:
		return schema.Laplacian
	case *covering:
		return schema.Covering
	case *successor:
		return schema.Successor
	case *successorFeatures:
		return schema.SuccessorFeatures
	}
	return schema.Counts
}

// factorsOf returns the factors of a matrix that learned from transitions, over so many states.
func factorsOf(t testing.TB, m StateMatrix, states int, moves ...envs.Transition) schema.Factors {
	t.Helper()
	m.Begin()
	for _, x := range moves {
		m.Observe(x, false)
	}
	d, err := m.Dataset(states)
	if err != nil {
		t.Fatal(err)
	}
	f, err := linalg.Factor(context.Background(), FactoringOf(methodOf(m)), d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func visitedSpec(method schema.Method) schema.Spec {
	s := podtest.PaperSpec()
	s.Method, s.StateSet = method, schema.VisitedStates
	return s
}

// TestFiedlerVectorOfAPath: on a path of n states the Fiedler vector is cos(π(i + ½)/n), of λ₂ =
// 2 − 2cos(π/n), as Fiedler found (Czechoslovak Mathematical Journal 23, 1973); its ends are the path's.
func TestFiedlerVectorOfAPath(t *testing.T) {
	const n = 7
	spec := visitedSpec(schema.Covering)
	// the states of the path, in a graph of which a shorter path is another component
	path := []int32{40, 12, 3, 30, 22, 9, 17}
	moves := append(walkOf(path...), walkOf(50, 51, 52)...)
	f := factorsOf(t, newCovering(spec), 64, moves...)
	if f.Features() != 64 || f.Dims != n+3 {
		t.Fatalf("%d columns of %d features", f.Dims, f.Features())
	}
	// 1 + twice the largest degree, less λ
	if want := 5 - (2 - 2*math.Cos(math.Pi/n)); math.Abs(f.Sigma[0]-want) > 1e-12 {
		t.Errorf("σ is %v, want %v", f.Sigma[0], want)
	}
	v := firstDirection(f)
	length := 0.0
	for i := range path {
		length += math.Pow(math.Cos(math.Pi*(float64(i)+0.5)/n), 2)
	}
	sign := math.Copysign(1, v[path[0]])
	for i, s := range path {
		want := sign * math.Cos(math.Pi*(float64(i)+0.5)/n) / math.Sqrt(length)
		if math.Abs(v[s]-want) > 1e-12 {
			t.Errorf("state %d has %v, want %v", s, v[s], want)
		}
	}
	if v[50] != 0 || v[0] != 0 {
		t.Errorf("%v and %v outside of the component", v[50], v[0])
	}
	ends := []int32{path[0], path[n-1]}
	if sign < 0 {
		slices.Reverse(ends)
	}
	if pair := PairOfEnds(f); !slices.Equal(pair, ends) {
		t.Errorf("the ends are %v, want %v", pair, ends)
	}
}

// firstDirection returns the vector of the largest σ, by features.
func firstDirection(f schema.Factors) []float64 {
	v := make([]float64, f.Features())
	for i, feature := range f.Columns {
		v[feature] = f.V[i*f.Dims]
	}
	return v
}

// TestCoveringConnects: a pair that was discovered is an edge from then on, so that the path becomes a
// cycle, of which λ₂ = 2 − 2cos(2π/n).
func TestCoveringConnects(t *testing.T) {
	const n = 8
	m := newCovering(visitedSpec(schema.Covering))
	f := factorsOf(t, m, n, walkOf(0, 1, 2, 3, 4, 5, 6, 7)...)
	before := m.Clone()
	m.Discover(f)
	f = factorsOf(t, m, n)
	if want := 5 - (2 - 2*math.Cos(2*math.Pi/n)); math.Abs(f.Sigma[0]-want) > 1e-12 {
		t.Errorf("σ of the cycle is %v, want %v", f.Sigma[0], want)
	}
	if f = factorsOf(t, before, n); math.Abs(f.Sigma[0]-(5-(2-2*math.Cos(math.Pi/n)))) > 1e-12 {
		t.Errorf("σ of the path is %v after its clone was connected", f.Sigma[0])
	}
}

// TestCoveringWithoutAGraph: nothing is discovered where no transition changed the state, and the two
// ends of a pair of states are found.
func TestCoveringWithoutAGraph(t *testing.T) {
	spec := visitedSpec(schema.Covering)
	f := factorsOf(t, newCovering(spec), 9, envs.Transition{State: 4, Next: 4})
	if f.Sigma[0] != 0 || PairOfEnds(f) != nil {
		t.Errorf("σ %v, pair %v", f.Sigma, PairOfEnds(f))
	}
	f = factorsOf(t, newCovering(spec), 9, envs.Transition{State: 4, Next: 2})
	pair := PairOfEnds(f)
	slices.Sort(pair)
	if !slices.Equal(pair, []int32{2, 4}) {
		t.Errorf("pair %v", pair)
	}
}

// TestSuccessorOfTwoStates: between two states that follow each other Ψ = (I − γP)⁻¹, so that
// Ψ(0,·) = (1, γ)/(1 − γ²), with a discount of its own; its singular values are 1/(1 − γ), 1/(1 + γ).
func TestSuccessorOfTwoStates(t *testing.T) {
	const gamma = 0.8
	spec := visitedSpec(schema.Successor)
	spec.PsiGamma = gamma
	var moves []envs.Transition
	for range 4000 {
		moves = append(moves, walkOf(1000, 7, 1000)...)
	}
	f := factorsOf(t, newSuccessor(spec), 1<<20, moves...)
	if !slices.Equal(f.Columns, []int32{7, 1000}) || f.Features() != 1<<20 {
		t.Fatalf("columns %v of %d", f.Columns, f.Features())
	}
	for j, want := range []float64{1 / (1 - gamma), 1 / (1 + gamma)} {
		if math.Abs(f.Sigma[j]-want) > 1e-9 {
			t.Errorf("σ %v, want %v", f.Sigma[j], want)
		}
	}
	v := firstDirection(f)
	if len(v) != 1<<20 || math.Abs(v[7]-math.Sqrt(0.5)) > 1e-9 || math.Abs(v[1000]-math.Sqrt(0.5)) > 1e-9 {
		t.Errorf("%d entries, %v and %v", len(v), v[7], v[1000])
	}
}

// TestVisitCounts: visits 0, 1, 0, 1, 1 of one iteration, then 1 of the next, are 2 of state 0 and 4 of
// state 1, so that the direction is (1/√2, 1/2) of σ = √(1/2 + 1/4).
func TestVisitCounts(t *testing.T) {
	m := newVisitCounts(visitedSpec(schema.Counts))
	factorsOf(t, m, 3, walkOf(0, 1, 0, 1, 1)...)
	next := m.Clone()
	next.Begin()
	next.Observe(envs.Transition{State: 1, Next: 2}, true)
	next.Observe(envs.Transition{State: 0, Next: 2}, false)
	d, err := next.Dataset(3)
	if err != nil {
		t.Fatal(err)
	}
	want := schema.SparseRow{{Feature: 0, Value: 1 / math.Sqrt(3)}, {Feature: 1, Value: 0.5}, {Feature: 2,
		Value: 1 / math.Sqrt(2)}}
	if len(d.Rows) != 1 || !slices.Equal(d.Rows[0], want) {
		t.Errorf("rows %v, want %v", d.Rows, want)
	}
	f := factorsOf(t, newVisitCounts(visitedSpec(schema.Counts)), 3, walkOf(0, 1, 0, 1)...)
	if math.Abs(f.Sigma[0]-1) > 1e-15 || f.Sigma[1] != 0 { // 1/2 + 1/2
		t.Errorf("σ %v", f.Sigma)
	}
}

// randomMoves draws transitions between few states of a large space.
func randomMoves(t *rapid.T) (moves []envs.Transition, resets []bool) {
	states := rapid.SliceOfNDistinct(rapid.Int32Range(0, 40), 1, 9, rapid.ID[int32]).Draw(t, "states")
	at := rapid.SampledFrom(states)
	for range rapid.IntRange(1, 60).Draw(t, "moves") {
		m := envs.Transition{State: at.Draw(t, "s"), Next: at.Draw(t, "next"), Terminal: rapid.Bool().Draw(t, "terminal")}
		moves, resets = append(moves, m), append(resets, m.Terminal || rapid.Bool().Draw(t, "resets"))
	}
	return moves, resets
}

// TestVisitedIsAll: over the visited states a matrix has the entries that it has over all states, where
// it is 0 everywhere else.
func TestVisitedIsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves, resets := randomMoves(t)
		for _, method := range []schema.Method{schema.Laplacian, schema.Successor, schema.Covering, schema.Counts} {
			var got [2]linalg.Dataset
			for i, set := range []schema.StateSet{schema.AllStates, schema.VisitedStates} {
				spec := visitedSpec(method)
				spec.StateSet = set
				m := NewStateMatrix(nil, spec)
				m.Begin()
				for at, x := range moves {
					m.Observe(x, resets[at])
				}
				var err error
				if got[i], err = m.Dataset(41); err != nil {
					t.Fatal(err)
				}
			}
			all, visited := got[0], got[1]
			if len(all.Rows) != len(visited.Rows) || !slices.Equal(all.Counts, visited.Counts) || visited.AllFeatures != 41 {
				t.Fatalf("%s: %d rows and %d", method, len(all.Rows), len(visited.Rows))
			}
			for r, row := range visited.Rows {
				for i := range row {
					row[i].Feature = visited.Columns[row[i].Feature]
				}
				if !slices.Equal(row, all.Rows[r]) {
					t.Fatalf("%s: row %v, want %v", method, row, all.Rows[r])
				}
			}
			for _, s := range visited.Columns {
				if !slices.ContainsFunc(moves, func(m envs.Transition) bool { return m.State == s || m.Next == s }) {
					t.Fatalf("%s: state %d was never visited", method, s)
				}
			}
		}
	})
}

// TestSuccessorFeaturesOfStates: where each state has a feature of its own, successor features are the
// tabular successor representation, bit for bit.
func TestSuccessorFeaturesOfStates(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	rapid.Check(t, func(t *rapid.T) {
		moves, resets := randomMoves(t)
		spec := podtest.PaperSpec()
		spec.Gamma = rapid.Float64Range(0, 0.99).Draw(t, "gamma")
		spec.PsiGamma = rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "psi_gamma")
		var got [2]linalg.Dataset
		for i, method := range []schema.Method{schema.Successor, schema.SuccessorFeatures} {
			spec.Method = method
			m := NewStateMatrix(env, spec)
			m.Begin()
			for at, x := range moves {
				if at == len(moves)/2 {
					m = m.Clone() // as the next iteration does
				}
				m.Observe(x, resets[at])
			}
			var err error
			if got[i], err = m.Dataset(env.States()); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.EqualFunc(got[0].Rows, got[1].Rows, slices.Equal) || !slices.Equal(got[0].Counts, got[1].Counts) {
			t.Fatalf("successor features %v, successor representation %v", got[1].Rows, got[0].Rows)
		}
	})
}

// TestSuccessorFeaturesOfAnObservation: of one observation φ that follows itself, ψ = φ/(1 − γ), however
// long φ is.
func TestSuccessorFeaturesOfAnObservation(t *testing.T) {
	for _, scale := range []float64{0.25, 1, 1e6} {
		e, err := envs.NewEnv(schema.Env{Name: "own", External: &schema.External{Version: "1", Observes: schema.Real, Size: 2,
			Actions: []string{"a"}, Features: []string{"x", "y"}}})
		if err != nil {
			t.Fatal(err)
		}
		env := e.(*envs.External)
		if _, err := env.Intern(envs.AppendRealObservation(nil, []float64{3 * scale, -4 * scale})); err != nil {
			t.Fatal(err)
		}
		spec := podtest.PaperSpec()
		spec.Method, spec.Gamma = schema.SuccessorFeatures, 0.5
		m := newSuccessorFeatures(env, spec)
		for range 1000 {
			m.Observe(envs.Transition{}, false)
		}
		d, err := m.Dataset(2)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{6 * scale, -8 * scale} {
			if got := d.Rows[0][i].Value; math.Abs(got/want-1) > 1e-9 {
				t.Errorf("scale %v: ψ is %v, want %v", scale, got, want)
			}
		}
	}
}

// TestTooManyStates: a matrix over more states than can be factored is an error with a remedy, and takes
// no memory for them.
func TestTooManyStates(t *testing.T) {
	for _, method := range []schema.Method{schema.Laplacian, schema.Successor, schema.Covering, schema.Counts} {
		m := NewStateMatrix(nil, visitedSpec(method))
		for s := range int32(MaxMethodStates - 1) {
			m.Observe(envs.Transition{State: s, Next: s + 1}, false)
			if method == schema.Successor && s == 50 {
				break // which has a row for each of them
			}
		}
		if _, err := m.Dataset(1 << 20); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		for s := range int32(2 * MaxMethodStates) {
			m.Observe(envs.Transition{State: s, Next: s + 1}, false)
		}
		if _, err := m.Dataset(1 << 20); err == nil || !strings.HasPrefix(err.Error(), "more than 2048 states") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestRegisteredMethods: the methods that package schema reads in a spec are computed here, and no others.
func TestRegisteredMethods(t *testing.T) {
	n := 0
	for _, name := range schema.Methods.Names() {
		if _, has := methods[schema.Method(name)]; has != schema.Method(name).HasMatrix() {
			t.Errorf("%s: %v", name, has)
		} else if has {
			n++
		}
	}
	if n != len(methods) {
		t.Errorf("%d of %d methods are known", n, len(methods))
	}
}
