package diff

import (
	"context"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
	"gonum.org/v1/gonum/stat"
)

// Comparison is the comparison of two iterations.
type Comparison struct {
	K          int    `json:"k"` // A's
	A          string `json:"a"` // RUN:K
	B          string `json:"b"`
	Identical  bool   `json:"identical"`  // the digests are equal
	Equivalent bool   `json:"equivalent"` // every purpose has a match in the other iteration, and its option too
	// subspace overlap above chance, in feature space; nil if a span is empty
	Overlap    *float64       `json:"overlap"`
	MaxOverlap *float64       `json:"overlap_most"` // its maximum, reached if one span contains the other
	Cosine     *float64       `json:"cosine"`       // mean |cos_M| of the pairs, nil without one
	Threshold  float64        `json:"threshold"`    // of |cos_M|
	Agreement  float64        `json:"agreement"`    // least similarity of options
	Chance     ChanceLevel    `json:"chance"`
	Dimensions int            `json:"dimensions"` // in which transitions differ
	Pairs      []Pair         `json:"pairs"`      // all assigned pairs, in A's option order
	OnlyA      []string       `json:"only_a"`     // purposes without a partner that reaches the threshold
	OnlyB      []string       `json:"only_b"`
	Clusters   []SigmaCluster `json:"clusters"` // of nearly equal σ, for right-singular vectors
}

// compareOptionSets matches the purposes of two sets and compares the matched options.
func compareOptionSets(ctx context.Context, m *metric, a, b *optionSet, limits Limits) (Comparison, error) {
	if orderSets(a, b) > 0 {
		c, err := compareOptionSets(ctx, m, b, a, limits)
		c.swap()
		c.K = a.K
		return c, err
	}
	var all [][]float64
	for _, p := range slices.Concat(a.Purposes, b.Purposes) {
		all = append(all, p.coordinates())
	}
	live := liveCoordinates(m.Dims(), all)
	c := comparison{
		metric: m, live: m.restrict(live), sets: [2]*optionSet{a, b}, limits: limits.WithDefaults(),
		visits: slices.Concat(a.Visits, b.Visits),
	}
	if err := c.checkMemory(len(a.Purposes), len(b.Purposes)); err != nil {
		return c.out, err
	}
	c.directions = [2][]direction{a.directions(live), b.directions(live)}
	return c.compare(ctx)
}

// checkMemory checks that there is memory to compare so many purposes of A and of B: their vectors and images, bases of
// both, and a matrix of all similarities with its transpose.
func (c *comparison) checkMemory(a, b int) error {
	return memory.Check(8 * (int64(a+b)*int64(2*c.live.Dims()+2*c.live.Coordinates()) + 3*int64(a)*int64(b)))
}

// comparison is a comparison in progress.
type comparison struct {
	metric        *metric
	live          *metric // over the coordinates in which a purpose is not 0; those of directions
	sets          [2]*optionSet
	limits        Limits
	visits        []behaviours.StateVisits // of both iterations
	directions    [2][]direction
	covered       [2][]bool // directions with a match on the other side
	optionsDiffer [2][]bool // directions whose options differ although the purposes are the same
	unmatched     [2][]bool // purposes without a partner that reaches the threshold
	out           Comparison
}

func (c *comparison) compare(ctx context.Context) (Comparison, error) {
	a, b := c.directions[0], c.directions[1]
	chance, err := c.metric.chance(ctx, len(a), len(b))
	if err != nil {
		return c.out, err
	}
	c.out = Comparison{
		K: c.sets[0].K, A: c.sets[0].Ref, B: c.sets[1].Ref, Threshold: c.limits.Cosine,
		Agreement: c.limits.Agreement,
		Chance:    chance, Dimensions: c.metric.Rank(),
		Pairs: []Pair{}, OnlyA: []string{}, OnlyB: []string{}, Clusters: []SigmaCluster{},
	}
	var bases [2][][]float64
	for i, ds := range c.directions {
		if bases[i], err = orthonormalBasis(ctx, vectors(ds)); err != nil {
			return c.out, err
		}
		c.covered[i], c.optionsDiffer[i] = make([]bool, len(ds)), make([]bool, len(ds))
		c.unmatched[i] = slices.Repeat([]bool{true}, len(c.sets[i].Purposes))
	}
	c.out.Overlap, c.out.MaxOverlap = subspaceOverlap(bases[0], bases[1], c.metric.Dims())
	if err := c.matchDirections(ctx); err != nil {
		return c.out, err
	}
	if err := c.compareSigmaClusters(ctx); err != nil {
		return c.out, err
	}
	c.out.OnlyA, c.out.OnlyB = c.unmatchedRefs(0), c.unmatchedRefs(1)
	c.out.Equivalent = !slices.Contains(c.covered[0], false) && !slices.Contains(c.covered[1], false)
	return c.out, nil
}

// matchDirections assigns the directions and compares the assigned ones.
func (c *comparison) matchDirections(ctx context.Context) error {
	a, b := c.directions[0], c.directions[1]
	all := selection.Cosines(images(c.live, a), images(c.live, b))
	var matched []float64
	var matches []match
	for i, j := range assign(magnitudes(all), len(a), len(b)) {
		if j < 0 {
			continue
		}
		matched = append(matched, math.Abs(all[i][j]))
		matches = append(matches, c.addPairs(i, j, all[i][j]))
	}
	if len(matched) > 0 {
		c.out.Cosine = new(stat.Mean(matched, nil))
	}
	if err := c.comparePairs(ctx); err != nil {
		return err
	}
	for _, m := range matches {
		c.cover(m)
	}
	return nil
}

// match is an assignment of two directions.
type match struct {
	a, b      int // directions
	cosine    float64
	sameSigns bool
	pairs     [2]int // index range of its pairs
}

// addPairs pairs the purposes of two directions, sign by sign.
func (c *comparison) addPairs(i, j int, cosine float64) match {
	a, b := c.directions[0][i], c.directions[1][j]
	m := match{a: i, b: j, cosine: cosine, sameSigns: true}
	m.pairs[0] = len(c.out.Pairs)
	for sign := range 2 {
		ofA, ofB := a.signed[sign], b.signed[sign]
		if cosine < 0 {
			ofB = b.signed[1-sign]
		}
		if ofA < 0 || ofB < 0 {
			m.sameSigns = m.sameSigns && ofA == ofB
			continue
		}
		p := Pair{
			A: c.sets[0].Purposes[ofA].Ref, B: c.sets[1].Purposes[ofB].Ref,
			NumberA: c.sets[0].Purposes[ofA].Number, NumberB: c.sets[1].Purposes[ofB].Number,
			Cosine:  math.Abs(cosine),
			Matched: math.Abs(cosine) >= c.out.Threshold,
			SigmaA:  a.sigma, SigmaB: b.sigma, order: [2]int{ofA, ofB},
		}
		c.unmatched[0][ofA], c.unmatched[1][ofB] = !p.Matched, !p.Matched
		c.out.Pairs = append(c.out.Pairs, p)
	}
	m.pairs[1] = len(c.out.Pairs)
	return m
}

// batchStates and batchPairs limit the options that are in memory at once, of each side.
const (
	batchStates = 1 << 20 // about 20 MB
	batchPairs  = 128
)

func (c *comparison) comparePairs(ctx context.Context) error {
	size := max(1, min(batchPairs, batchStates/max(1, c.sets[0].States, c.sets[1].States)))
	for batch := range slices.Chunk(c.out.Pairs, size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var ofA, ofB []int
		for _, p := range batch {
			ofA, ofB = append(ofA, p.order[0]), append(ofB, p.order[1])
		}
		alike, err := c.compareOptions(ofA, ofB)
		if err != nil {
			return err
		}
		for i := range batch {
			batch[i].BehaviourSimilarity = alike[i]
		}
	}
	return nil
}

// compareOptions compares options of A with as many of B, if purposes have options.
func (c *comparison) compareOptions(ofA, ofB []int) ([]*BehaviourSimilarity, error) {
	alike := make([]*BehaviourSimilarity, len(ofA))
	if c.sets[0].Behaviours == nil || c.sets[1].Behaviours == nil {
		return alike, nil
	}
	a, err := c.sets[0].Behaviours(ofA)
	if err != nil {
		return nil, err
	}
	b, err := c.sets[1].Behaviours(ofB)
	if err != nil {
		return nil, err
	}
	for i := range alike {
		alike[i] = compareBehaviours(a[i], b[i], c.visits)
	}
	return alike, nil
}

// cover notes whether the options of two directions behave alike, with the same signs.
func (c *comparison) cover(m match) {
	like := m.sameSigns
	for _, p := range c.out.Pairs[m.pairs[0]:m.pairs[1]] {
		like = like && (p.BehaviourSimilarity == nil || p.Similarity >= c.limits.Agreement)
	}
	near, same := math.Abs(m.cosine) >= c.out.Threshold, math.Abs(m.cosine) == 1
	c.covered[0][m.a], c.covered[1][m.b] = near && like, near && like
	c.optionsDiffer[0][m.a], c.optionsDiffer[1][m.b] = same && !like, same && !like
}

// unmatchedRefs returns the purposes of one side without a partner.
func (c *comparison) unmatchedRefs(side int) []string {
	refs := []string{}
	for i, p := range c.sets[side].Purposes {
		if c.unmatched[side][i] {
			refs = append(refs, p.Ref)
		}
	}
	return refs
}

func (c *Comparison) swap() {
	c.A, c.B, c.OnlyA, c.OnlyB = c.B, c.A, c.OnlyB, c.OnlyA
	for i := range c.Clusters {
		c.Clusters[i].A, c.Clusters[i].B = c.Clusters[i].B, c.Clusters[i].A
	}
	for i := range c.Pairs {
		c.Pairs[i].swap()
	}
	slices.SortFunc(c.Pairs, func(p, q Pair) int { return p.order[0] - q.order[0] })
}

// SigmaCluster is a set of directions of nearly equal σ in A or B. Single directions are arbitrary
// within their span, so the spans are compared as one.
type SigmaCluster struct {
	A          []int   `json:"a"` // j
	B          []int   `json:"b"`
	Cosine     float64 `json:"cosine"` // of the largest principal angle between the spans, 0 where one is empty
	Equivalent bool    `json:"equivalent"`
}

// largestCluster is the number of directions from which on a chain of neighbours of nearly equal σ is no cluster: its
// ends are far from each other, and comparing the spans would take most of the time.
const largestCluster = 1 << 10

// compareSigmaClusters compares the spans of directions of nearly equal σ. Rows of V do not belong to one σ, and form
// no clusters.
func (c *comparison) compareSigmaClusters(ctx context.Context) error {
	a, b := c.directions[0], c.directions[1]
	if c.sets[0].Basis != schema.RightSingular || c.sets[1].Basis != schema.RightSingular {
		return nil
	}
	for from, n := 0, max(len(a), len(b)); from < n; {
		to := from + 1
		for to < n && (c.isNear(a, to) || c.isNear(b, to)) {
			to++
		}
		if to > from+1 && to-from <= largestCluster {
			if err := c.compareSigmaCluster(ctx, from, to); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// isNear reports whether the i-th σ is nearly the previous one.
func (c *comparison) isNear(ds []direction, i int) bool {
	return i < len(ds) && math.Abs(ds[i-1].sigma-ds[i].sigma) <= c.limits.Gap*max(ds[i-1].sigma, ds[i].sigma)
}

func (c *comparison) compareSigmaCluster(ctx context.Context, from, to int) error {
	var js [2][]int
	var spans [2][][]float64
	var purposes [2][]int
	for i, ds := range c.directions {
		part := ds[min(from, len(ds)):min(to, len(ds))]
		basis, err := orthonormalBasis(ctx, images(c.live, part))
		if err != nil {
			return err
		}
		spans[i], js[i] = basis, []int{}
		for _, d := range part {
			js[i] = append(js[i], d.j)
			purposes[i] = append(purposes[i], d.purposes()...)
		}
	}
	cluster := SigmaCluster{A: js[0], B: js[1]}
	if angles := principalCosines(spans[0], spans[1]); len(angles) > 0 {
		cluster.Cosine = angles[len(angles)-1]
	}
	cluster.Equivalent = len(spans[0]) == len(spans[1]) && len(js[0]) == len(js[1]) &&
		len(purposes[0]) == len(purposes[1]) && cluster.Cosine >= c.out.Threshold
	c.out.Clusters = append(c.out.Clusters, cluster)
	if !cluster.Equivalent {
		return nil
	}
	for side := range c.directions {
		for d := from; d < to; d++ { // all match but those whose options differ although the directions are the same
			c.covered[side][d] = !c.optionsDiffer[side][d]
		}
		for _, p := range purposes[side] {
			c.unmatched[side][p] = false
		}
	}
	return nil
}
