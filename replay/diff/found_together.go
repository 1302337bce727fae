package diff

import (
	"math/bits"
	"slices"
)

// maxRunSets limits the sets of runs to cluster, which takes O(n³).
const maxRunSets = 1024

// foundTogether returns the dendrogram of distinct purposes or options by the runs that found them: the similarity of
// two is the share of the runs with either that have both. It has no merges if there are more than maxRunSets different
// sets of runs.
func foundTogether(list []Distinct) Dendrogram {
	d := Dendrogram{Merges: []Merge{}, Leaves: upTo(len(list))}
	sets, found := runSets(list)
	if len(list) < 2 || len(sets) > maxRunSets {
		return d
	}
	t := newClusters(jaccardIndices(sets))
	t.next = len(list)
	for i, same := range found {
		t.active[i], t.sizes[i] = d.mergeSame(same, &t.next), len(same)
	}
	for len(t.active) > 1 {
		d.Merges = append(d.Merges, t.mergeNearest())
	}
	d.Leaves = d.leavesOf(len(list), 2*len(list)-2)
	return d
}

// mergeSame merges items that the same runs found, at height 0, and returns the number of their cluster.
func (d *Dendrogram) mergeSame(same []int, next *int) int {
	cluster := same[0]
	for i, other := range same[1:] {
		d.Merges = append(d.Merges, Merge{A: min(cluster, other), B: max(cluster, other), Runs: i + 2})
		cluster = *next
		*next++
	}
	return cluster
}

// runSets returns the different sets of runs, as bits, and the items that each of them found.
func runSets(list []Distinct) (sets [][]uint64, found [][]int) {
	known := map[string]int{}
	for i, item := range list {
		set := make([]uint64, (len(item.Found)+63)/64)
		key := make([]byte, len(item.Found))
		for run, first := range item.Found {
			if first != nil {
				set[run/64] |= 1 << (run % 64)
				key[run] = 1
			}
		}
		at, ok := known[string(key)]
		if !ok {
			at = len(sets)
			known[string(key)] = at
			sets, found = append(sets, set), append(found, nil)
		}
		found[at] = append(found[at], i)
	}
	return sets, found
}

// jaccardIndices returns the Jaccard index of each two sets.
func jaccardIndices(sets [][]uint64) [][]*float64 {
	table := make([][]*float64, len(sets))
	for i, a := range sets {
		table[i] = slices.Repeat([]*float64{nil}, len(sets))
		for j, b := range sets[:i+1] {
			both, either := 0, 0
			for k := range a {
				both += bits.OnesCount64(a[k] & b[k])
				either += bits.OnesCount64(a[k] | b[k])
			}
			share := fraction(both, either)
			table[i][j], table[j][i] = &share, &share
		}
	}
	return table
}
