package matrix

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// adjacency is the undirected graph of the observed state changes: two states are
// neighbours if a transition led from one to the other, in either direction, however
// often. Transitions that stay in place are ignored.
type adjacency struct {
	touchedStates
	edges map[[2]int32]bool // places, the lower first
	near  map[int32][]int32 // neighbours by place, in the order of discovery
}

func newAdjacency(spec schema.Spec) *adjacency {
	return &adjacency{
		touchedStates: newTouchedStates(spec), edges: map[[2]int32]bool{}, near: map[int32][]int32{},
	}
}

func (a *adjacency) Observe(m envs.Transition, _ bool) {
	if !a.isFull() {
		a.connect(m.State, m.Next)
	}
}

// connect makes two states neighbours, unless they are one.
func (a *adjacency) connect(s, n int32) {
	from, to := int32(a.placeOf(s)), int32(a.placeOf(n))
	edge := [2]int32{min(from, to), max(from, to)}
	if from == to || a.edges[edge] {
		return
	}
	a.edges[edge] = true
	a.near[from], a.near[to] = append(a.near[from], to), append(a.near[to], from)
}

func (a *adjacency) degree(place int32) int64 { return int64(len(a.near[place])) }

func (a *adjacency) Clone() StateMatrix { return a.copy() }

func (a *adjacency) copy() *adjacency {
	c := &adjacency{
		touchedStates: a.clone(), edges: maps.Clone(a.edges), near: make(map[int32][]int32, len(a.near)),
	}
	for place, list := range a.near {
		c.near[place] = slices.Clone(list)
	}
	return c
}

// Dataset returns 2I − L for the states that have neighbours, where L = I − D^(−1/2) A
// D^(−1/2) is the normalised Laplacian, whose eigenvalues λ lie in 0…2. The singular
// values are σ = 2 − λ, so the smoothest directions come first.
func (a *adjacency) Dataset(states int) (linalg.Dataset, error) {
	var rows []stateRow
	for place := range int32(len(a.states)) {
		if a.degree(place) == 0 {
			continue
		}
		rows = append(rows, func(visit func(place int, x float64)) {
			visit(int(place), 1)
			for _, n := range a.near[place] {
				visit(int(n), 1/math.Sqrt(float64(a.degree(place)*a.degree(n))))
			}
		})
	}
	return a.dataset(states, rows)
}

// A StateMatrix is the matrix that a method learns from transitions, in their order, in place of a D
// of their rows. With a cumulative D the next iteration continues with it.
type StateMatrix interface {
	// Begin begins an iteration.
	Begin()
	// Observe learns from the next transition; resets is true if an episode ended with it.
	Observe(m envs.Transition, resets bool)
	// End learns what is left of an iteration after its last transition. It must be called before the matrix is
	// factored, or cloned for the next iteration; a second call does nothing. After an error, which is that of ctx,
	// the matrix must not be used.
	End(ctx context.Context) error
	// Discover learns from the factors of the iteration.
	Discover(f schema.Factors)
	// CheckFull returns an error if the matrix already has too many states to be factored.
	CheckFull() error
	// Dataset returns the matrix to be factored, whose purposes have that many entries.
	Dataset(features int) (linalg.Dataset, error)
	Clone() StateMatrix
}

// stepwise is the part of a [StateMatrix] that learns from single transitions alone, and is never full.
type stepwise struct{}

func (stepwise) Begin()                    {}
func (stepwise) End(context.Context) error { return nil }
func (stepwise) Discover(schema.Factors)   {}
func (stepwise) CheckFull() error          { return nil }

// methods are the methods with a matrix: what it is before any transition, and how it is factored. With other methods D
// has the rows of transitions.
var methods = map[schema.Method]struct {
	newMatrix func(env envs.Env, spec schema.Spec) StateMatrix
	factoring linalg.Factoring
}{
	schema.Laplacian:         {onStates(newAdjacency), linalg.Symmetric},
	schema.Covering:          {onStates(newCovering), linalg.Symmetric},
	schema.Successor:         {onStates(newSuccessor), linalg.Bidiagonal},
	schema.SuccessorFeatures: {newSuccessorFeatures, linalg.Bidiagonal},
	schema.Counts:            {onStates(newVisitCounts), linalg.Reduced},
}

// onStates returns a function that makes a matrix over states, which needs no environment.
func onStates[M StateMatrix](newMatrix func(schema.Spec) M) func(envs.Env, schema.Spec) StateMatrix {
	return func(_ envs.Env, spec schema.Spec) StateMatrix { return newMatrix(spec) }
}

// NewStateMatrix returns the matrix of a spec's method in env before any transition, nil if D has
// the rows of transitions.
func NewStateMatrix(env envs.Env, spec schema.Spec) StateMatrix {
	m, has := methods[spec.Method]
	switch passes := spec.SuccessorPasses(); {
	case !has:
		return nil
	case passes > 1:
		return &repeated{StateMatrix: m.newMatrix(env, spec), passes: passes}
	}
	return m.newMatrix(env, spec)
}

// FactoringOf returns the way in which the matrix of a method is factored.
func FactoringOf(m schema.Method) linalg.Factoring { return methods[m].factoring }
