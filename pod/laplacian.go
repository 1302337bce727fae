package pod

import (
	"math"
	"slices"
)

// adjacency is the undirected graph of the observed state changes: two states are
// neighbours if a transition led from one to the other, in either direction, however
// often. Transitions that stay in place are ignored.
type adjacency struct {
	words  int      // of a row
	bits   []uint64 // states×words
	degree []int64
}

func newAdjacency(states int) *adjacency {
	words := (states + 63) / 64
	return &adjacency{words: words, bits: make([]uint64, states*words), degree: make([]int64, states)}
}

func (g *adjacency) observe(m Transition) {
	s, n := int(m.State), int(m.Next)
	if s == n || g.hasEdge(s, n) {
		return
	}
	g.bits[s*g.words+n/64] |= 1 << (n % 64)
	g.bits[n*g.words+s/64] |= 1 << (s % 64)
	g.degree[s]++
	g.degree[n]++
}

func (g *adjacency) hasEdge(s, n int) bool { return g.bits[s*g.words+n/64]>>(n%64)&1 == 1 }

func (g *adjacency) clone() StateMatrix {
	return &adjacency{words: g.words, bits: slices.Clone(g.bits), degree: slices.Clone(g.degree)}
}

// dataset returns 2I − L for the states that have neighbours, where L = I − D^(−1/2) A
// D^(−1/2) is the normalised Laplacian, whose eigenvalues λ lie in 0…2. The singular
// values are σ = 2 − λ, so the smoothest directions come first.
func (g *adjacency) dataset() Dataset {
	return matrixDataset(len(g.degree), func(s int) []float64 {
		if g.degree[s] == 0 {
			return nil
		}
		row := make([]float64, len(g.degree))
		row[s] = 1
		for n, d := range g.degree {
			if g.hasEdge(s, n) {
				row[n] = 1 / math.Sqrt(float64(g.degree[s]*d))
			}
		}
		return row
	})
}
