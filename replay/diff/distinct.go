package diff

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
)

// Distinct is a purpose or an option that runs of a group found: a representative, and its members, which are all
// within the threshold of it. No two representatives are within the threshold of each other.
type Distinct struct {
	Name       string    `json:"name"`             // of the representative: RUN:K/J+
	Vector     []float64 `json:"vector,omitempty"` // of a purpose
	Sigma      float64   `json:"sigma"`            // mean over the members
	Members    int       `json:"members"`          // within the threshold
	Directions int       `json:"directions"`       // equal to Members
	Runs       int       `json:"runs"`             // number with a member
	Prevalence float64   `json:"prevalence"`       // share of runs
	Low        float64   `json:"low"`              // of its 95 % interval (Wilson)
	High       float64   `json:"high"`
	First      int       `json:"first"` // earliest iteration of a member
	Found      []*int    `json:"found"` // by run: first iteration with a member, nil for none

	purpose []float64 // of the representative, with the sign of an option
}

// Purpose returns the vector of the representative's purpose, which has an option's sign.
func (d *Distinct) Purpose() []float64 { return d.purpose }

// foundItem is a direction or an option that a run found in iteration k.
type foundItem struct {
	run, k int
	ref    string
	sigma  float64
	vector []float64 // of a direction

	purpose []float64 // the vector of a direction, or of an option's purpose
}

// newDistinct returns a representative with its members, in order of run and iteration.
func newDistinct(found []foundItem, representative int, members []int, runs int) Distinct {
	name := found[representative]
	d := Distinct{
		Name: name.ref, Vector: name.vector, purpose: name.purpose,
		Members: len(members), Directions: len(members), First: name.k,
		Found: make([]*int, runs),
	}
	for _, i := range members {
		it := found[i]
		d.Sigma += it.sigma / float64(len(members))
		d.First = min(d.First, it.k)
		if d.Found[it.run] == nil {
			d.Found[it.run] = &it.k
			d.Runs++
		}
	}
	d.Prevalence = float64(d.Runs) / float64(runs)
	d.Low, d.High = stats.Wilson(d.Runs, runs)
	return d
}

// orderDistinct sorts by the number of runs, most first.
func orderDistinct(list []Distinct) {
	slices.SortStableFunc(list, func(p, q Distinct) int {
		return cmp.Or(-cmp.Compare(p.Runs, q.Runs), cmp.Compare(p.First, q.First), -cmp.Compare(p.Sigma, q.Sigma))
	})
}

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
