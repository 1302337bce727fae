package diff

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Chance is how alike random sets of purposes look once they are matched: over
// pairs of independent random orthonormal sets of the same sizes, assigned like
// real ones, the mean of the matched |cosine| and the point under which 95 % lie.
type Chance struct {
	Mean  float64 `json:"mean"`
	P95   float64 `json:"p95"`
	Draws int     `json:"draws"` // pairs of sets drawn
}

const (
	chanceSeed = 2016
	maxDraws   = 1000
	minDraws   = 30
	chanceWork = 1 << 27 // multiplications that a level may cost
)

var levels sync.Map // of sizes to chanceLevel results, since they depend on nothing else

// ChanceOf is the level for sets of the given sizes in dims dimensions. It is
// zero where a set is empty.
func ChanceOf(sizeA, sizeB, dims int) Chance {
	sizes := [3]int{min(sizeA, sizeB), max(sizeA, sizeB), dims}
	if sizes[0] == 0 || dims == 0 {
		return Chance{}
	}
	if had, ok := levels.Load(sizes); ok {
		return had.(Chance)
	}
	c := drawChance(sizes[0], sizes[1], dims)
	levels.Store(sizes, c)
	return c
}

func drawChance(small, large, dims int) Chance {
	work := (small + large) * (small + large) * (dims + small)
	c := Chance{Draws: max(minDraws, min(maxDraws, chanceWork/work))}
	random := rand.New(rand.NewPCG(chanceSeed, uint64(small)<<40|uint64(large)<<20|uint64(dims)))
	var all []float64
	for range c.Draws {
		all = append(all, matchedCosines(randomSet(random, small, dims), randomSet(random, large, dims))...)
	}
	slices.Sort(all)
	c.Mean, c.P95 = stat.Mean(all, nil), stat.Quantile(0.95, stat.Empirical, all, nil)
	return c
}

// matchedCosines are the |cosine| of the pairs of an optimal assignment.
func matchedCosines(a, b [][]float64) []float64 {
	weights := magnitudes(cosines(a, b))
	matched := make([]float64, 0, len(a))
	for i, j := range assign(weights, len(a), len(b)) {
		if j >= 0 {
			matched = append(matched, weights[i][j])
		}
	}
	return matched
}

// randomSet is n unit vectors whose directions are uniform, orthogonal to each
// other as far as dims allows.
func randomSet(random *rand.Rand, n, dims int) [][]float64 {
	set := make([][]float64, n)
	for i := range set {
		x := make([]float64, dims)
		for c := range x {
			x[c] = random.NormFloat64()
		}
		for _, y := range set[i-i%dims : i] {
			floats.AddScaled(x, -floats.Dot(x, y), y)
		}
		floats.Scale(1/floats.Norm(x, 2), x)
		set[i] = x
	}
	return set
}

// cosines between all images of a and all of b.
func cosines(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i, x := range a {
		c[i] = make([]float64, len(b))
		for j, y := range b {
			c[i][j] = cosine(x, y)
		}
	}
	return c
}

func magnitudes(a [][]float64) [][]float64 {
	m := make([][]float64, len(a))
	for i, row := range a {
		m[i] = make([]float64, len(row))
		for j, x := range row {
			m[i][j] = math.Abs(x)
		}
	}
	return m
}
