package diff

import (
	"cmp"
	"slices"
)

// greedyCover returns representatives of items, given the pairs of items within the threshold of each other and the run
// of each item. Among the items that are not within the threshold of a representative, it repeatedly picks the one
// whose members (the items within the threshold of it) come from most runs; ties go to most members, then to the first.
// Hence
//
//   - no two representatives are within the threshold of each other;
//   - every item is within the threshold of a representative;
//   - no item, representative or not, is found by more runs than the first representative.
//
// Because of the third, "no option is shared by more than 3 runs" holds for all options. Complete linkage has none of
// these properties, and single linkage joins dissimilar items through chains of similar ones. The cover is the greedy
// one of Hochbaum, "Approximation algorithms for the set covering and vertex cover problems", SIAM Journal on Computing
// 11(3), 1982.
func greedyCover(near *neighbours, runs []int) (representatives []int) {
	order, reach := make([]int, len(runs)), make([][2]int, len(runs))
	for i := range runs {
		members := near.of(i)
		order[i], reach[i] = i, [2]int{countRuns(members, runs), len(members)}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(-cmp.Compare(reach[i][0], reach[j][0]), -cmp.Compare(reach[i][1], reach[j][1]))
	})
	covered := make([]bool, len(runs))
	for _, i := range order {
		if covered[i] {
			continue
		}
		representatives = append(representatives, i)
		for _, member := range near.of(i) {
			covered[member] = true
		}
	}
	return representatives
}

// countRuns counts the distinct runs of members, which are sorted by run.
func countRuns(members, runs []int) (n int) {
	last := -1
	for _, i := range members {
		if runs[i] != last {
			n, last = n+1, runs[i]
		}
	}
	return n
}
