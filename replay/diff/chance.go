package diff

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
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

// Sharing is the number of runs that have the most common purpose or option, compared with random sets of the same
// sizes: each draw replaces every set of every run by a random one, and takes the most common of their purposes or
// options.
type Sharing struct {
	Most    int      `json:"most"`        // runs that have the most common one
	Mean    *float64 `json:"chance_mean"` // the same for random sets: mean over the draws
	P95     *int     `json:"chance_p95"`  // 95th percentile of the draws
	Draws   int      `json:"draws"`
	Unknown string   `json:"unknown"` // why there is no chance level, else ""
}

const (
	sharingDraws = 999
	// sharingWork limits the operations that random sets may take, as [pool.referenceWork] counts them.
	sharingWork    = 4 * workOfReferences
	unknownTooLong = "too long"
)

// sharing compares the number of runs that have the most common item with random sets.
func (p *pool) sharing(ctx context.Context, list []Distinct) (s Sharing, err error) {
	if len(list) > 0 {
		s.Most = list[0].Runs
	}
	runs := 0
	for _, byK := range p.sets {
		if slices.ContainsFunc(byK, func(set []int) bool { return len(set) > 0 }) {
			runs++
		}
	}
	if s.Unknown = p.unknownChance(runs, 0); s.Unknown != "" {
		return s, nil
	}
	if s.Unknown = p.tooLong(); s.Unknown != "" {
		return s, nil
	}
	random, err := p.randomSets(ctx)
	if err != nil {
		return s, err
	}
	counts, err := random.draw(ctx, p)
	if err != nil {
		return s, err
	}
	slices.Sort(counts)
	mean, p95 := stat.Mean(counts, nil), int(stat.Quantile(0.95, stat.Empirical, counts, nil))
	s.Mean, s.P95, s.Draws = &mean, &p95, len(counts)
	return s, nil
}

// tooLong returns the reason unknownTooLong if making one random set for each set would take too long, else "".
func (p *pool) tooLong() string {
	work, items := int64(0), 0
	for _, byK := range p.sets {
		for _, set := range byK {
			if len(set) > 0 {
				work, items = work+p.referenceWork(len(set)), items+len(set)
			}
		}
	}
	traces, ok := p.items.(*optionTraces)
	if work > sharingWork || items > maxDiscoveries || ok && !traces.fits(items) {
		return unknownTooLong
	}
	return ""
}

// randomSets are random sets in place of the sets of the runs.
type randomSets struct {
	runs  map[int][]int // by size: the run of each set
	sizes []int
	near  [][]int // by item: the sets that have one within the threshold, perhaps repeated
}

// randomSets returns one random set for each set of each run.
func (p *pool) randomSets(ctx context.Context) (r randomSets, err error) {
	r.runs = map[int][]int{}
	for run, byK := range p.sets {
		for _, set := range byK {
			if len(set) > 0 {
				r.runs[len(set)] = append(r.runs[len(set)], run)
			}
		}
	}
	r.sizes = slices.Sorted(maps.Keys(r.runs))
	var all [][]int
	for _, size := range r.sizes {
		sets, err := p.referenceSets(ctx, size, len(r.runs[size]))
		if err != nil {
			return r, err
		}
		all = append(all, sets...)
	}
	r.near, err = p.nearSets(ctx, all)
	return r, err
}

// nearSets returns, for each item of the sets, the sets that have an item within the threshold of it.
func (p *pool) nearSets(ctx context.Context, sets [][]int) ([][]int, error) {
	var items, setOf []int
	for number, set := range sets {
		for _, x := range set {
			items, setOf = append(items, x), append(setOf, number)
		}
	}
	near := make([][]int, len(items))
	err := p.eachNear(ctx, items, func(i int, same []int) {
		near[i] = append(near[i], setOf[i])
		for _, j := range same {
			near[i], near[j] = append(near[i], setOf[j]), append(near[j], setOf[i])
		}
	})
	return near, err
}

// draw repeatedly assigns the sets of each size to the runs at random, and returns for each draw how many runs have the
// most common item.
func (r randomSets) draw(ctx context.Context, d *pool) ([]float64, error) {
	random := rand.New(rand.NewPCG(chanceSeed, uint64(len(r.near))))
	var runOf []int // by number of the set
	counts := make([]float64, 0, sharingDraws)
	seen := make([]int, len(d.sets)) // by run: the item for which it was last counted, plus one
	for draw := range sharingDraws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		runOf = runOf[:0]
		for _, size := range r.sizes {
			from := len(runOf)
			runOf = append(runOf, r.runs[size]...)
			of := runOf[from:]
			random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		}
		most := 0
		for item, sets := range r.near {
			n, mark := 0, draw*len(r.near)+item+1
			for _, set := range sets {
				if run := runOf[set]; seen[run] != mark {
					seen[run], n = mark, n+1
				}
			}
			most = max(most, n)
		}
		counts = append(counts, float64(most))
	}
	return counts, nil
}
