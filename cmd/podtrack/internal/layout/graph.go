package layout

import (
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
)

// graph is the undirected graph of transitions that change the state. Nodes are numbered as the states are.
type graph struct {
	near [][]int // the neighbours of each, in ascending order
}

func newGraph(states []int, transitions envs.TransitionCounts) graph {
	g := graph{near: make([][]int, len(states))}
	for _, t := range transitions {
		a, _ := slices.BinarySearch(states, int(t.State))
		b, _ := slices.BinarySearch(states, int(t.Next))
		if a != b {
			g.near[a], g.near[b] = append(g.near[a], b), append(g.near[b], a)
		}
	}
	for i := range g.near {
		slices.Sort(g.near[i])
		g.near[i] = slices.Compact(g.near[i])
	}
	return g
}

// components returns the nodes of each component in ascending order, the largest component first, of equal ones
// that with the lowest node.
func (g graph) components() (all [][]int) {
	seen := make([]bool, len(g.near))
	for first := range g.near {
		if seen[first] {
			continue
		}
		seen[first] = true
		members := []int{first}
		for i := 0; i < len(members); i++ {
			for _, n := range g.near[members[i]] {
				if !seen[n] {
					seen[n] = true
					members = append(members, n)
				}
			}
		}
		slices.Sort(members)
		all = append(all, members)
	}
	slices.SortStableFunc(all, func(a, b []int) int { return len(b) - len(a) })
	return all
}

// within returns the graph of some nodes, which are numbered anew.
func (g graph) within(members []int) graph {
	part := graph{near: make([][]int, len(members))}
	for i, m := range members {
		for _, n := range g.near[m] {
			at, _ := slices.BinarySearch(members, n)
			part.near[i] = append(part.near[i], at)
		}
	}
	return part
}
