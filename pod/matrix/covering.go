package matrix

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// covering is the graph of covering options (Jinnai, Park, Abel & Konidaris, "Discovering Options for
// Exploration by Minimizing Cover Time", ICML 2019): that of the observed state changes with, if D is
// cumulative, an edge between the two ends of each pair that was discovered before.
//
// Its matrix is c(I − 11ᵀ/n) − L over the n states of one component, where L = diag(degree) − A is the
// combinatorial Laplacian, and c is 1 + twice the largest degree, which exceeds every eigenvalue. L's
// eigenvalue 0, whose vector is constant, becomes σ = 0, and the others σ = c − λ. So the first
// direction is the Fiedler vector, that of the second smallest eigenvalue. The component is the
// largest, of several that with the lowest state.
type covering struct{ *adjacency }

func newCovering(spec schema.Spec) *covering { return &covering{newAdjacency(spec)} }

func (c *covering) Clone() StateMatrix { return &covering{c.copy()} }

// Discover adds the edge between the ends of the pair that factors discovered.
func (c *covering) Discover(f schema.Factors) {
	if ends := PairOfEnds(f); ends != nil {
		c.connect(ends[0], ends[1])
	}
}

// Dataset returns the matrix or, where its rows are recorded before the mean of each is taken away, cI − L.
func (c *covering) Dataset(states int) (linalg.Dataset, error) {
	component := c.largestComponent()
	if len(component) == 1 {
		component = nil // no neighbours: no transition was observed
	}
	most := int64(0)
	for _, place := range component {
		most = max(most, c.degree(place))
	}
	columns := states
	if c.spec.StateSet == schema.VisitedStates {
		columns = len(c.states)
	}
	scale, sparse := float64(2*most+1), IsCentred(c.spec, columns)
	rest := scale / float64(len(component))
	var rows []stateRow
	for _, place := range component {
		rows = append(rows, func(visit func(place int, x float64)) {
			row := map[int32]float64{place: scale - float64(c.degree(place))} // of cI − L
			for _, n := range c.near[place] {
				row[n] = 1
			}
			if !sparse {
				for _, n := range component {
					row[n] -= rest
				}
			}
			for n, x := range row {
				visit(int(n), x)
			}
		})
	}
	d, err := c.dataset(states, rows)
	d.Centred = sparse
	return d, err
}

// largestComponent returns the places of the largest connected component, in ascending order of their states. Ties go
// to the one with the lowest state.
func (a *adjacency) largestComponent() (best []int32) {
	byState := make([]int32, len(a.states))
	for p := range byState {
		byState[p] = int32(p)
	}
	slices.SortFunc(byState, func(x, y int32) int { return int(a.states[x] - a.states[y]) })
	seen := make([]bool, len(byState))
	for _, p := range byState {
		if seen[p] {
			continue
		}
		seen[p] = true
		component := []int32{p}
		for at := 0; at < len(component); at++ {
			for _, n := range a.near[component[at]] {
				if !seen[n] {
					seen[n] = true
					component = append(component, n)
				}
			}
		}
		if len(component) > len(best) {
			best = component
		}
	}
	slices.SortFunc(best, func(x, y int32) int { return int(a.states[x] - a.states[y]) })
	return best
}

// PairOfEnds returns the states in which the first direction of factors is largest and smallest, the lowest
// of several; nil if there is none.
func PairOfEnds(f schema.Factors) []int32 {
	if len(f.Sigma) == 0 || f.Sigma[0] == 0 {
		return nil
	}
	v := make([]float64, f.Dims)
	for i := range v {
		v[i] = f.V[i*f.Directions()]
	}
	return []int32{f.FeatureOf(firstNear(v, 1)), f.FeatureOf(firstNear(v, -1))}
}

// nearExtreme is the difference, relative to the largest magnitude, within which entries tie with the largest: more
// than rounding can cause between equal ones.
const nearExtreme = 0x1p-20

// firstNear returns the index of the largest entry of sign·v, the lowest of several that tie.
func firstNear(v []float64, sign float64) int {
	largest, magnitude := math.Inf(-1), 0.0
	for _, x := range v {
		largest, magnitude = max(largest, float64(sign*x)), max(magnitude, math.Abs(x))
	}
	return slices.IndexFunc(v, func(x float64) bool {
		return float64(sign*x) >= largest-float64(nearExtreme*magnitude)
	})
}
