package diff

import "slices"

// linkage joins items into clusters in which any two have at least the similarity limit: complete
// linkage, cut at the limit, by nearest-neighbour chains (Murtagh, Computational Statistics
// Quarterly 1, 1984) in O(n²). Ties go to the lowest index.
type linkage struct {
	similarity []float32 // of items i < j at place(i, j), apart under the limit; of clusters, by their lowest items
	n          int
	active     []int   // clusters that may still grow, ascending
	members    [][]int // by cluster
}

// belowLimit marks items that may not be in one cluster.
const belowLimit = -2

// completeLinkage returns the clusters, each ascending, ordered by their lowest items.
func completeLinkage(n int, limit float64, alike func(i, j int) float64) [][]int {
	l := &linkage{similarity: make([]float32, n*(n-1)/2), n: n, members: make([][]int, n)}
	for i := range n {
		l.active, l.members[i] = append(l.active, i), []int{i}
		for j := i + 1; j < n; j++ {
			l.similarity[l.pairIndex(i, j)] = belowLimit
			if x := alike(i, j); x >= limit {
				l.similarity[l.pairIndex(i, j)] = float32(x)
			}
		}
	}
	l.mergeAll()
	var clusters [][]int
	for _, m := range l.members {
		if len(m) > 0 {
			slices.Sort(m)
			clusters = append(clusters, m)
		}
	}
	return clusters
}

func (l *linkage) pairIndex(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return i*(2*l.n-i-1)/2 + j - i - 1
}

// mergeAll follows nearest neighbours until two are mutual, and merges them. A cluster without a
// neighbour within the limit never gets one.
func (l *linkage) mergeAll() {
	var chain []int
	for len(l.active) > 0 {
		if len(chain) == 0 {
			chain = append(chain, l.active[0])
		}
		top := chain[len(chain)-1]
		next := l.nearest(top, chain)
		switch {
		case next < 0:
			l.deactivate(top)
			chain = chain[:len(chain)-1]
		case len(chain) > 1 && next == chain[len(chain)-2]:
			l.merge(min(top, next), max(top, next))
			chain = chain[:len(chain)-2]
		default:
			chain = append(chain, next)
		}
	}
}

// nearest returns the most similar cluster, preferring the previous one on the chain, or −1 if
// none is within the limit.
func (l *linkage) nearest(c int, chain []int) int {
	best, most := -1, float32(belowLimit)
	if len(chain) > 1 {
		best = chain[len(chain)-2]
		most = l.similarity[l.pairIndex(c, best)]
	}
	for _, other := range l.active {
		if other == c {
			continue
		}
		if x := l.similarity[l.pairIndex(c, other)]; x > most {
			best, most = other, x
		}
	}
	return best
}

func (l *linkage) deactivate(c int) {
	at, _ := slices.BinarySearch(l.active, c)
	l.active = slices.Delete(l.active, at, at+1)
}

// merge merges j into i < j: the similarity to another cluster is that of the least similar
// members.
func (l *linkage) merge(i, j int) {
	l.deactivate(j)
	for _, other := range l.active {
		if other != i {
			at := l.pairIndex(i, other)
			l.similarity[at] = min(l.similarity[at], l.similarity[l.pairIndex(j, other)])
		}
	}
	l.members[i], l.members[j] = append(l.members[i], l.members[j]...), nil
}
