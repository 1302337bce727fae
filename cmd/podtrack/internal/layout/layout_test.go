package layout

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/schematest"
)

func TestMain(m *testing.M) { schematest.Main(m) }

// joined returns transitions along edges, of one action.
func joined(edges ...[2]int32) (all envs.TransitionCounts) {
	for _, e := range edges {
		all = append(all, envs.CountedTransition{Transition: envs.Transition{State: e[0], Next: e[1]}, Count: 1})
	}
	return all
}

// path returns the edges of a path.
func path(states ...int32) (edges [][2]int32) {
	for i := range states[1:] {
		edges = append(edges, [2]int32{states[i], states[i+1]})
	}
	return edges
}

// TestCycle places a cycle of states on a circle: its second and third eigenvectors are a cosine and a sine.
func TestCycle(t *testing.T) {
	const n = 24
	states := make([]int32, n+1)
	for i := range states {
		states[i] = int32(i % n)
	}
	g := graphOf(t, joined(path(states...)...))
	y, err := g.smoothest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		radius := math.Hypot(y[0][i], y[1][i])
		if want := math.Sqrt(2.0/n) / math.Sqrt2; math.Abs(radius-want) > 1e-6 {
			t.Errorf("state %d lies %v from the centre, want %v", i, radius, want)
		}
	}
}

func graphOf(t testing.TB, transitions envs.TransitionCounts) graph {
	t.Helper()
	return newGraph(visitedStates(transitions), transitions)
}

// TestEigenvectors compares with gonum's eigenvalues of the normalised Laplacian of random connected graphs.
func TestEigenvectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "states")
		var edges [][2]int32
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int32{int32(rapid.IntRange(0, i-1).Draw(t, "parent")), int32(i)})
		}
		for range rapid.IntRange(0, 40).Draw(t, "more") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			edges = append(edges, [2]int32{int32(a), int32(b)})
		}
		transitions := joined(edges...)
		g := newGraph(visitedStates(transitions), transitions)
		y, err := g.smoothest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := eigenvalues(g)
		for i, u := range y[:min(2, len(y))] {
			// L u = λ D u
			for a, near := range g.near {
				lu := float64(len(near)) * u[a]
				for _, b := range near {
					lu -= u[b]
				}
				if d := lu - want[i+1]*float64(len(near))*u[a]; math.Abs(d) > 1e-9 {
					t.Fatalf("vector %d of eigenvalue %v: residual %v in state %d", i, want[i+1], d, a)
				}
			}
		}
	})
}

func eigenvalues(g graph) []float64 {
	m := mat.NewSymDense(len(g.near), nil)
	for i, near := range g.near {
		m.SetSym(i, i, 1)
		for _, j := range near {
			m.SetSym(i, j, -1/math.Sqrt(float64(len(near)*len(g.near[j]))))
		}
	}
	var e mat.EigenSym
	e.Factorize(m, false)
	return e.Values(nil)
}

// TestComponents puts a path, a pair and a state that is never left beside each other, without overlap.
func TestComponents(t *testing.T) {
	transitions := slices.Concat(joined([2]int32{1, 1}), joined(path(3, 4, 5, 6, 7, 8, 9)...), joined([2]int32{20, 21}))
	l, err := newLayout(t.Context(), transitions, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 3, 4, 5, 6, 7, 8, 9, 20, 21}; !slices.Equal(l.States, want) {
		t.Errorf("states %v", l.States)
	}
	if len(l.Edges) != 7 || l.Edges[0] != [2]int{3, 4} || l.Edges[6] != [2]int{20, 21} {
		t.Errorf("edges %v", l.Edges)
	}
	if l.Next[0][0] != 1 || l.Next[1][0] != 4 || l.Next[7][0] != -1 {
		t.Errorf("next %v", l.Next)
	}
	for i, p := range l.Places {
		if !(p[0] >= 0 && p[0] <= l.Width && p[1] >= 0 && p[1] <= l.Height) {
			t.Errorf("state %d at %v, outside %v × %v", l.States[i], p, l.Width, l.Height)
		}
		for j, q := range l.Places[:i] {
			if math.Hypot(p[0]-q[0], p[1]-q[1]) < 0.1 {
				t.Errorf("states %d and %d both at %v", l.States[j], l.States[i], p)
			}
		}
	}
	for i := 2; i < 8; i++ { // along the path in order
		if rising := l.Places[i][0] > l.Places[i-1][0]; rising != (l.Places[2][0] > l.Places[1][0]) {
			t.Errorf("the path turns back at state %d: %v", l.States[i], l.Places)
		}
	}
	again, err := newLayout(t.Context(), transitions, 1)
	if err != nil || !reflect.DeepEqual(l, again) {
		t.Errorf("another layout of the same transitions: %v", err)
	}
}

// TestMostFrequent takes where an action led most often, whether or not an episode ended there.
func TestMostFrequent(t *testing.T) {
	counted := func(next int32, terminal bool, count int64) envs.CountedTransition {
		return envs.CountedTransition{
			Transition: envs.Transition{State: 0, Next: next, Action: 1, Terminal: terminal}, Count: count}
	}
	counts := envs.TransitionCounts{counted(1, false, 3), counted(2, false, 2), counted(2, true, 2)}
	l, err := newLayout(t.Context(), counts, 2)
	if err != nil || l.Next[0][0] != -1 || l.Next[0][1] != 2 {
		t.Errorf("%v, %v", l.Next, err)
	}
}

// TestTooLarge refuses more states than are placed.
func TestTooLarge(t *testing.T) {
	states := make([]int32, maxStates+1)
	for i := range states {
		states[i] = int32(i)
	}
	if _, err := newLayout(t.Context(), joined(path(states...)...), 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}
