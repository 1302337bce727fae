package diff

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// SigmaCluster is a set of directions of nearly equal σ in A or B. Single directions are arbitrary
// within their span, so the spans are compared as one.
type SigmaCluster struct {
	A          []int   `json:"a"` // j
	B          []int   `json:"b"`
	Cosine     float64 `json:"cosine"` // of the largest principal angle between the spans, 0 where one is empty
	Equivalent bool    `json:"equivalent"`
}

// compareSigmaClusters compares the spans of directions of nearly equal σ. A row of V does not
// belong to one σ, so that it has no cluster.
func (c *comparison) compareSigmaClusters() {
	a, b := c.directions[0], c.directions[1]
	if c.sets[0].Basis != schema.RightSingular || c.sets[1].Basis != schema.RightSingular {
		return
	}
	for from, n := 0, max(len(a), len(b)); from < n; {
		to := from + 1
		for to < n && (c.isNear(a, to) || c.isNear(b, to)) {
			to++
		}
		if to > from+1 {
			c.compareSigmaCluster(from, to)
		}
		from = to
	}
}

// isNear reports whether the i-th σ is nearly the previous one.
func (c *comparison) isNear(ds []direction, i int) bool {
	return i < len(ds) && math.Abs(ds[i-1].sigma-ds[i].sigma) <= c.limits.Gap*max(ds[i-1].sigma, ds[i].sigma)
}

func (c *comparison) compareSigmaCluster(from, to int) {
	var js [2][]int
	var spans [2][][]float64
	var purposes [2][]int
	for i, ds := range c.directions {
		part := ds[min(from, len(ds)):min(to, len(ds))]
		spans[i], js[i] = orthonormalBasis(images(part)), []int{}
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
	if cluster.Equivalent {
		c.acceptCluster(from, to, purposes)
	}
	c.out.Clusters = append(c.out.Clusters, cluster)
}

// acceptCluster marks the directions of an equivalent cluster as matched, except those whose
// options differ although the directions are the same.
func (c *comparison) acceptCluster(from, to int, purposes [2][]int) {
	for side := range c.directions {
		for d := from; d < to; d++ {
			c.covered[side][d] = !c.optionsDiffer[side][d]
		}
		for _, p := range purposes[side] {
			c.unmatched[side][p] = false
		}
	}
}
