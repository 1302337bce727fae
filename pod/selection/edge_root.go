package selection

import (
	"cmp"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// An edgeRoot is the root of M where every transition changes one feature alone, or two by opposite amounts, as where
// features are states: M is then the Laplacian of a graph of features, and its root has a row for each edge.
type edgeRoot struct {
	edges  []edge
	others bool // some transition is no edge; then edges has only those before it
}

// An edge is between two features, or from a feature to what is no feature, whose index is −1. It adds
// weight·(x_low − x_high)² to xᵀMx.
type edge struct {
	low, high int32
	weight    float64
}

// add adds a transition that occurs n times.
func (r *edgeRoot) add(row schema.SparseRow, n int64) {
	switch {
	case r.others:
	case len(row) == 1:
		r.addEdge(-1, row[0].Feature, row[0].Value, n)
	case len(row) == 2 && row[0].Value == -row[1].Value:
		r.addEdge(row[0].Feature, row[1].Feature, row[0].Value, n)
	case len(row) > 0:
		r.others = true
	}
}

func (r *edgeRoot) addEdge(low, high int32, value float64, n int64) {
	if weight := float64(float64(n)*value) * value; weight > 0 {
		r.edges = append(r.edges, edge{low: low, high: high, weight: weight})
	}
}

// similarity returns the similarity over so many features.
func (r *edgeRoot) similarity(dims int) *Similarity {
	s := &Similarity{dims: dims, rank: r.rank(dims)}
	slices.SortStableFunc(r.edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.low, y.low), cmp.Compare(x.high, y.high))
	})
	for i := 0; i < len(r.edges); {
		e, weight := r.edges[i], 0.0
		for ; i < len(r.edges) && r.edges[i].low == e.low && r.edges[i].high == e.high; i++ {
			weight += r.edges[i].weight
		}
		root := math.Sqrt(weight)
		row := schema.SparseRow{{Feature: e.low, Value: root}, {Feature: e.high, Value: -root}}
		if e.low < 0 {
			row = row[1:]
		}
		s.rows = append(s.rows, row)
		s.minLength = max(s.minLength, float64(relativeNoise*math.Sqrt(2*weight)))
	}
	return s
}

// rank returns the rank of M among so many features: how many edges a spanning forest of the graph has.
func (r *edgeRoot) rank(dims int) (n int) {
	parent := make([]int32, dims+1) // of what is no feature first, then of each feature
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for i != parent[i] {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, e := range r.edges {
		if a, b := find(e.low+1), find(e.high+1); a != b {
			parent[max(a, b)] = min(a, b)
			n++
		}
	}
	return n
}
