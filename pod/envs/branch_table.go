package envs

import (
	"cmp"
	"slices"
)

// A Branch is one possible successor of a state and action. Its weight is an integer, so
// that probabilities are rounded only once.
type Branch struct {
	Next     int32 // state
	Weight   int64 // at least 1; its probability is its share of the sum of the weights
	Terminal bool  // the episode ends in Next, even if other transitions lead on from there
}

// A branchTable holds the successors of a model in which an action may lead to several
// states or, if only observed transitions are known, to none.
type branchTable struct {
	From     []int32 // branches from[i] to from[i+1] are those of edge i = s*Actions+a
	Next     []int32 // rising within an edge
	Terminal []bool
	weight   []int64
	P        []float64
	Active   []int32 // states with a branch, rising
}

// addEdge appends the branches of one state and action and returns the most likely
// successor.
func (b *branchTable) addEdge(s int32, branches []Branch) (likeliest int32) {
	branches = slices.Clone(branches)
	slices.SortFunc(branches, func(x, y Branch) int {
		return cmp.Or(cmp.Compare(x.Next, y.Next), compareEnds(x.Terminal, y.Terminal))
	})
	merged, total := branches[:0], int64(0)
	for _, branch := range branches {
		total += branch.Weight
		if n := len(merged); n > 0 && merged[n-1].Next == branch.Next && merged[n-1].Terminal == branch.Terminal {
			merged[n-1].Weight += branch.Weight
			continue
		}
		merged = append(merged, branch)
	}
	likeliest, most := s, int64(0)
	for _, branch := range merged {
		if branch.Weight > most {
			likeliest, most = branch.Next, branch.Weight
		}
		if branch.Weight > 0 {
			b.Next, b.Terminal = append(b.Next, branch.Next), append(b.Terminal, branch.Terminal)
			b.weight, b.P = append(b.weight, branch.Weight), append(b.P, float64(branch.Weight)/float64(total))
		}
	}
	if n := len(b.Active); total > 0 && (n == 0 || b.Active[n-1] != s) {
		b.Active = append(b.Active, s)
	}
	b.From = append(b.From, int32(len(b.Next)))
	return likeliest
}

// compareEnds orders transitions that do not end an episode before those that do.
func compareEnds(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
