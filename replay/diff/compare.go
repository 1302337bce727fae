package diff

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/podtrack/podtrack/schema"
)

// Limits are what "the same" means. The zero value of a field stands for its
// default.
type Limits struct {
	Cosine    float64 // least |cos_M| of two purposes that are the same; by default above chance, see [Limits.cosine]
	Agreement float64 // least agreement of their policies, ties allowed; 0.95
	Gap       float64 // σ closer than this part of the larger one are nearly equal; 0.01
}

const (
	standardCosine    = 0.9
	standardAgreement = 0.95
	standardGap       = 0.01
)

func (l Limits) withDefaults() Limits {
	if l.Agreement == 0 {
		l.Agreement = standardAgreement
	}
	if l.Gap == 0 {
		l.Gap = standardGap
	}
	return l
}

// cosine is the limit for sets of such a chance level: at least 0.9, and half
// way from the level's 95 % point to 1.
func (l Limits) cosine(c Chance) float64 {
	if l.Cosine != 0 {
		return l.Cosine
	}
	return max(standardCosine, (1+c.P95)/2)
}

// Comparison is what two iterations have in common.
type Comparison struct {
	K          int       `json:"k"` // A's
	A          string    `json:"a"` // RUN:K
	B          string    `json:"b"`
	Identical  bool      `json:"identical"`  // equal digests
	Equivalent bool      `json:"equivalent"` // every purpose of either has its like in the other
	Overlap    *float64  `json:"overlap"`    // of the spans, nil where one is empty
	Cosine     *float64  `json:"cosine"`     // mean |cos_M| of the pairs, nil without one
	Threshold  float64   `json:"threshold"`  // of |cos_M|
	Chance     Chance    `json:"chance"`
	Dimensions int       `json:"dimensions"` // in which transitions differ
	Pairs      []Pair    `json:"pairs"`      // all that were assigned, in A's option order
	OnlyA      []string  `json:"only_a"`     // purposes without a partner that reaches the threshold
	OnlyB      []string  `json:"only_b"`
	Clusters   []Cluster `json:"clusters"` // of nearly equal σ, for right-singular vectors
}

// Cluster is directions of nearly equal σ in A or in B, which are arbitrary within
// their span and are therefore compared as one.
type Cluster struct {
	A          []int   `json:"a"` // j
	B          []int   `json:"b"`
	Cosine     float64 `json:"cosine"` // of the largest principal angle between the spans, 0 where one is empty
	Equivalent bool    `json:"equivalent"`
}

// Compare matches what two iterations selected.
func Compare(m *Metric, a, b *Set, limits Limits) (Comparison, error) {
	if compareSets(a, b) > 0 {
		c, err := Compare(m, b, a, limits)
		c.swap()
		c.K = a.K
		return c, err
	}
	c := comparison{metric: m, sets: [2]*Set{a, b}, limits: limits.withDefaults()}
	c.directions = [2][]direction{a.directions(m), b.directions(m)}
	return c.run()
}

// comparison is one under way.
type comparison struct {
	metric     *Metric
	sets       [2]*Set
	limits     Limits
	directions [2][]direction
	covered    [2][]bool // directions that have their like on the other side
	strangers  [2][]bool // directions without a partner that reaches the threshold
	out        Comparison
}

func (c *comparison) run() (Comparison, error) {
	a, b := c.directions[0], c.directions[1]
	chance := ChanceOf(len(a), len(b), c.metric.Rank())
	c.out = Comparison{
		K: c.sets[0].K, A: c.sets[0].Ref, B: c.sets[1].Ref, Threshold: c.limits.cosine(chance), Chance: chance, Dimensions: c.metric.Rank(),
		Overlap: overlap(span(images(a)), span(images(b)), c.metric.Rank()),
		Pairs:   []Pair{}, OnlyA: []string{}, OnlyB: []string{}, Clusters: []Cluster{},
	}
	for i, ds := range c.directions {
		c.covered[i], c.strangers[i] = make([]bool, len(ds)), slices.Repeat([]bool{true}, len(ds))
	}
	if err := c.match(); err != nil {
		return c.out, err
	}
	c.cluster()
	c.out.OnlyA, c.out.OnlyB = c.only(0), c.only(1)
	c.out.Equivalent = !slices.Contains(c.covered[0], false) && !slices.Contains(c.covered[1], false)
	return c.out, nil
}

// match assigns directions, and compares what is assigned.
func (c *comparison) match() error {
	a, b := c.directions[0], c.directions[1]
	all := cosines(images(a), images(b))
	var matched []float64
	for i, j := range assign(magnitudes(all), len(a), len(b)) {
		if j < 0 {
			continue
		}
		matched = append(matched, math.Abs(all[i][j]))
		like, err := c.pair(a[i], b[j], all[i][j])
		if err != nil {
			return err
		}
		near := math.Abs(all[i][j]) >= c.out.Threshold
		c.strangers[0][i], c.strangers[1][j] = !near, !near
		c.covered[0][i], c.covered[1][j] = near && like, near && like
	}
	if len(matched) > 0 {
		mean := stat.Mean(matched, nil)
		c.out.Cosine = &mean
	}
	return nil
}

// pair compares the purposes of two directions, sign by sign. It reports whether
// their options behave alike, and both have the same signs.
func (c *comparison) pair(a, b direction, cosine float64) (like bool, err error) {
	like = true
	for sign := range 2 {
		ofA, ofB := a.signed[sign], b.signed[sign]
		if cosine < 0 {
			ofB = b.signed[1-sign]
		}
		if ofA < 0 || ofB < 0 {
			like = like && ofA == ofB
			continue
		}
		p := Pair{
			A: c.sets[0].Purposes[ofA].Ref, B: c.sets[1].Purposes[ofB].Ref, Cosine: math.Abs(cosine), Matched: math.Abs(cosine) >= c.out.Threshold,
			SigmaA: a.sigma, SigmaB: b.sigma, BornA: a.born, BornB: b.born, order: [2]int{ofA, ofB},
		}
		if p.Likeness, err = c.likeness(ofA, ofB); err != nil {
			return false, err
		}
		like = like && (p.Likeness == nil || p.Ties >= c.limits.Agreement)
		c.out.Pairs = append(c.out.Pairs, p)
	}
	return like, nil
}

func (c *comparison) likeness(ofA, ofB int) (*Likeness, error) {
	a, b := c.sets[0], c.sets[1]
	if a.Behaviour == nil || b.Behaviour == nil {
		return nil, nil
	}
	x, err := a.Behaviour(ofA)
	if err != nil {
		return nil, err
	}
	y, err := b.Behaviour(ofB)
	if err != nil {
		return nil, err
	}
	return compareBehaviours(x, y, append(slices.Clip(a.Visits), b.Visits...)), nil
}

// cluster compares the spans of directions of nearly equal σ. A row of V is not
// made of one σ, so that it has no cluster.
func (c *comparison) cluster() {
	a, b := c.directions[0], c.directions[1]
	if c.sets[0].Basis != schema.RightSingular || c.sets[1].Basis != schema.RightSingular {
		return
	}
	for from, n := 0, max(len(a), len(b)); from < n; {
		to := from + 1
		for to < n && (c.near(a, to) || c.near(b, to)) {
			to++
		}
		if to > from+1 {
			c.compareCluster(from, to)
		}
		from = to
	}
}

// near says that the i-th σ is nearly the one before.
func (c *comparison) near(ds []direction, i int) bool {
	return i < len(ds) && ds[i-1].sigma-ds[i].sigma <= c.limits.Gap*ds[i-1].sigma
}

func (c *comparison) compareCluster(from, to int) {
	var js [2][]int
	var spans [2][][]float64
	for i, ds := range c.directions {
		part := ds[min(from, len(ds)):min(to, len(ds))]
		spans[i], js[i] = span(images(part)), []int{}
		for _, d := range part {
			js[i] = append(js[i], d.j)
		}
	}
	cluster := Cluster{A: js[0], B: js[1]}
	if angles := principal(spans[0], spans[1]); len(angles) > 0 {
		cluster.Cosine = angles[len(angles)-1]
	}
	cluster.Equivalent = len(spans[0]) == len(spans[1]) && len(js[0]) == len(js[1]) && cluster.Cosine >= c.out.Threshold
	if cluster.Equivalent {
		for i := range c.directions {
			for d := from; d < to; d++ {
				c.covered[i][d], c.strangers[i][d] = true, false
			}
		}
	}
	c.out.Clusters = append(c.out.Clusters, cluster)
}

// only are the purposes of one side that have no partner.
func (c *comparison) only(side int) []string {
	refs := []string{}
	for i, d := range c.directions[side] {
		for _, p := range d.signed {
			if p >= 0 && c.strangers[side][i] {
				refs = append(refs, c.sets[side].Purposes[p].Ref)
			}
		}
	}
	return refs
}

// swap exchanges the sides.
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
