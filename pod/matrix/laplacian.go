package matrix

import (
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
