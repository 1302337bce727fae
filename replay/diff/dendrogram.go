package diff

import "math"

// A Dendrogram is the order in which runs merge into clusters, the most similar first. Clusters are numbered as in
// SciPy: the runs are 0 to n − 1, and the i-th merge makes cluster n + i.
type Dendrogram struct {
	Merges []Merge `json:"merges"` // n − 1
	Leaves []int   `json:"leaves"` // the runs in drawing order
}

// Merge joins clusters A < B at a height, which is 1 − the mean similarity over all pairs of a run of one and a run of
// the other: average linkage (UPGMA). Two runs that cannot be compared are 1 apart.
type Merge struct {
	A      int     `json:"a"`
	B      int     `json:"b"`
	Height float64 `json:"height"`
	Runs   int     `json:"runs"` // in the merged cluster
}

// newDendrogram returns the dendrogram of runs with these similarities, in O(n³). Ties go to the lowest numbers.
func newDendrogram(similarity [][]*float64) Dendrogram {
	n := len(similarity)
	d := Dendrogram{Merges: []Merge{}, Leaves: []int{}}
	if n == 0 {
		return d
	}
	t := newClusters(similarity)
	for len(t.active) > 1 {
		d.Merges = append(d.Merges, t.mergeNearest())
	}
	d.Leaves = d.leavesOf(n, 2*n-2)
	return d
}

// clusters are the clusters after the merges so far.
type clusters struct {
	active   []int // their numbers
	sizes    []int
	distance [][]float64 // by position in active
	next     int         // number of the next one
}

func newClusters(similarity [][]*float64) *clusters {
	t := &clusters{next: len(similarity)}
	for i, row := range similarity {
		t.active, t.sizes = append(t.active, i), append(t.sizes, 1)
		distances := make([]float64, len(row))
		for j, x := range row {
			if distances[j] = 1; x != nil {
				distances[j] = 1 - *x
			}
		}
		t.distance = append(t.distance, distances)
	}
	return t
}

// mergeNearest merges the two nearest clusters. The new one replaces the first of them.
func (c *clusters) mergeNearest() Merge {
	i, j, least := 0, 0, math.Inf(1)
	for p := range c.active {
		for q := p + 1; q < len(c.active); q++ {
			if c.distance[p][q] < least {
				i, j, least = p, q, c.distance[p][q]
			}
		}
	}
	m := Merge{
		A: min(c.active[i], c.active[j]), B: max(c.active[i], c.active[j]), Height: least, Runs: c.sizes[i] + c.sizes[j],
	}
	a, b := float64(c.sizes[i]), float64(c.sizes[j])
	for p := range c.active {
		x := (a*c.distance[i][p] + b*c.distance[j][p]) / (a + b)
		c.distance[i][p], c.distance[p][i] = x, x
	}
	c.active[i], c.sizes[i] = c.next, m.Runs
	c.next++
	c.remove(j)
	return m
}

func (c *clusters) remove(j int) {
	last := len(c.active) - 1
	c.active[j], c.sizes[j] = c.active[last], c.sizes[last]
	c.distance[j] = c.distance[last]
	for p := range c.distance {
		c.distance[p][j] = c.distance[p][last]
	}
	c.distance[j][j] = 0
	c.active, c.sizes, c.distance = c.active[:last], c.sizes[:last], c.distance[:last]
}

// leavesOf returns the runs of a cluster, those of the side with the lower number first.
func (d Dendrogram) leavesOf(n, cluster int) []int {
	if cluster < n {
		return []int{cluster}
	}
	m := d.Merges[cluster-n]
	return append(d.leavesOf(n, m.A), d.leavesOf(n, m.B)...)
}
