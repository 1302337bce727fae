package diff

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/tracker/memory"
)

// ChanceLevel describes how similar random sets of purposes look after matching: over pairs of
// independent random orthonormal sets of feature vectors of the same sizes, compared by cos_M and
// assigned like real ones, the mean of the matched |cosine| and its 95th percentile. M matters: if
// some features change more often than others, any two purposes look similar.
type ChanceLevel struct {
	Mean  float64 `json:"mean"`
	P95   float64 `json:"p95"`
	Draws int     `json:"draws"` // pairs of sets drawn, 0 where there is no level
}

// MarshalJSON encodes a level, with null for its numbers where there is none.
func (c ChanceLevel) MarshalJSON() ([]byte, error) {
	type level ChanceLevel // without this method
	if c.Draws > 0 {
		return json.Marshal(level(c))
	}
	return []byte(`{"mean":null,"p95":null,"draws":0}`), nil
}

const (
	chanceSeed = 2016
	maxDraws   = 1000
	minDraws   = 30
	minMatched = 1 << 13 // pairs of vectors that a level needs: large sets need fewer draws
	chanceWork = 1 << 27 // multiplications that a level may cost
	mostWork   = 1 << 38 // that minDraws or minMatched may cost: about 40 s
)

// drawsOf returns how many pairs of sets of the given sizes are drawn, given the work of a pair: 0 if a pair takes too
// long.
func drawsOf(small int, work int64) int {
	needed := min(minDraws, (minMatched+small-1)/small)
	return int(min(mostWork/work, max(int64(needed), min(maxDraws, chanceWork/work))))
}

// chance returns the chance level for sets of the given sizes, or zero if one is empty or both are too large.
func (m *metric) chance(ctx context.Context, sizeA, sizeB int) (ChanceLevel, error) {
	sizes := [2]int{min(sizeA, sizeB), max(sizeA, sizeB)}
	if sizes[0] == 0 || m.Rank() == 0 {
		return ChanceLevel{}, nil
	}
	if had, ok := m.levels.Load(sizes); ok {
		return had.(ChanceLevel), nil
	}
	level, err := m.drawChance(ctx, sizes[0], sizes[1])
	if err == nil {
		m.levels.Store(sizes, level)
	}
	return level, err
}

func (m *metric) drawChance(ctx context.Context, small, large int) (ChanceLevel, error) {
	all, dims := int64(small+large), int64(m.Dims())
	work := all*all*(dims+int64(small)) + all*dims*int64(m.Rank())
	c := ChanceLevel{Draws: drawsOf(small, work)}
	if c.Draws == 0 {
		return c, nil
	}
	atOnce := int64(runtime.GOMAXPROCS(0) + 1)
	if err := memory.Check(atOnce * 8 * (all*(dims+int64(m.Coordinates())) + 2*int64(small)*int64(large))); err != nil {
		return c, err
	}
	random := rand.New(rand.NewPCG(chanceSeed, uint64(small)<<40|uint64(large)<<20|uint64(m.Dims())))
	draws := make([][]float64, c.Draws)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range draws { // drawn here, in a fixed order, not in the goroutines
		a, b := m.normalVectors(random, small), m.normalVectors(random, large)
		workers.Go(func() error {
			if err := cmp.Or(orthogonalise(ctx, a), orthogonalise(ctx, b)); err != nil {
				return err
			}
			draws[i] = matchedCosines(m.images(a), m.images(b))
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return c, err
	}
	c.set(slices.Concat(draws...))
	return c, nil
}

// set sets the numbers of a level to those of the matched |cosine| of all draws.
func (c *ChanceLevel) set(matched []float64) {
	slices.Sort(matched)
	c.Mean, c.P95 = stat.Mean(matched, nil), stat.Quantile(0.95, stat.Empirical, matched, nil)
}

// matchedCosines returns the |cosine| of the pairs of an optimal assignment.
func matchedCosines(a, b [][]float64) []float64 {
	weights := magnitudes(selection.Cosines(a, b))
	matched := make([]float64, 0, len(a))
	for i, j := range assign(weights, len(a), len(b)) {
		if j >= 0 {
			matched = append(matched, weights[i][j])
		}
	}
	return matched
}

// images replaces vectors by their images.
func (m *metric) images(set [][]float64) [][]float64 {
	for i, x := range set {
		set[i] = m.Image(x)
	}
	return set
}

// randomVectors returns n feature vectors with uniform directions, mutually orthogonal as far as their dimension
// allows.
func (m *metric) randomVectors(ctx context.Context, random *rand.Rand, n int) ([][]float64, error) {
	// images follow
	if err := memory.Check(8 * int64(n) * int64(m.Dims()+m.Coordinates())); err != nil {
		return nil, err
	}
	set := m.normalVectors(random, n)
	return set, orthogonalise(ctx, set)
}

// normalVectors returns n feature vectors with normally distributed entries.
func (m *metric) normalVectors(random *rand.Rand, n int) [][]float64 {
	set := make([][]float64, n)
	for i := range set {
		set[i] = make([]float64, m.Dims())
		for c := range set[i] {
			set[i][c] = random.NormFloat64()
		}
	}
	return set
}

// orthogonalise makes each vector orthogonal to those before it, and of length 1. After as many vectors as dimensions
// it starts a new orthogonal set. The error is that of ctx.
func orthogonalise(ctx context.Context, set [][]float64) error {
	if len(set) == 0 {
		return nil
	}
	for vectors := range slices.Chunk(set, len(set[0])) {
		if _, err := orthonormalise(ctx, vectors, 1); err != nil {
			return err
		}
	}
	return nil
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
