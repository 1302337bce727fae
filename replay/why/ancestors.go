package why

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// explainAncestors follows the evidence shares of executing options back to iteration 0. An option's sources are of
// earlier iterations: in descending order, the influence of each option is complete before it is passed on.
func (a *audit) explainAncestors(ctx context.Context) error {
	target := a.begin[a.k] + a.at
	if !a.hasModel() {
		return nil
	}
	ways := map[int]ancestorPaths{target: {influence: 1}}
	steps := &stepCounts{by: [roles]map[int]tally{maps.Clone(a.data.by[executing])}} // of iteration k's D
	for k := a.k; k >= 0; k-- {
		for number := target; number >= a.begin[k]; number-- {
			if via, reached := ways[number]; reached {
				shares, err := a.shares(ctx, number, steps)
				if err != nil {
					return err
				}
				a.propagate(ways, via, number, shares)
			}
		}
		target, steps = a.begin[k]-1, a.before(k, steps)
	}
	a.listAncestors(ways)
	return nil
}

// minShownShare is the least share of the evidence for an option of which an arrow is drawn.
const minShownShare = 0.01

// ancestorPaths sums up the paths to an ancestor.
type ancestorPaths struct {
	influence float64 // Σ over all paths of the product of shares
	share     float64 // of the path of length 1
	depth     int     // length of the shortest path, 0 for the explained option
}

// extend adds the paths that go on from those of via by an option with that share of the evidence.
func (p *ancestorPaths) extend(via ancestorPaths, share float64) {
	p.influence += via.influence * share
	if p.depth == 0 || via.depth+1 < p.depth {
		p.depth = via.depth + 1
	}
	if via.depth == 0 {
		p.share = share
	}
}

// relative describes the option with that number, to or from which the paths lead.
func (a *audit) relative(number int, p ancestorPaths) Ancestor {
	return Ancestor{
		Option: a.nameOf(number, executing), Number: number, Depth: p.depth, Share: p.share,
		Influence: p.influence,
	}
}

// propagate propagates an option's influence to its sources.
func (a *audit) propagate(ways map[int]ancestorPaths, via ancestorPaths, number int, shares map[int]float64) {
	for source, share := range shares {
		if share >= minShownShare {
			a.out.Edges = append(a.out.Edges, Edge{
				From: a.nameOf(source, executing), To: a.nameOf(number, executing), Share: share, Action: source < 0,
			})
		}
		if source < 0 {
			continue
		}
		to := ways[source]
		to.extend(via, share)
		ways[source] = to
	}
}

func (a *audit) listAncestors(ways map[int]ancestorPaths) {
	for number, w := range ways {
		if w.depth > 0 {
			a.out.Ancestors = append(a.out.Ancestors, a.relative(number, w))
		}
	}
	slices.SortFunc(a.out.Ancestors, func(x, y Ancestor) int {
		return cmp.Or(-cmp.Compare(x.Influence, y.Influence), cmp.Compare(x.Number, y.Number))
	})
	slices.SortFunc(a.out.Edges, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(x.To, y.To), -cmp.Compare(x.Share, y.Share), cmp.Compare(x.From, y.From))
	})
}

// shares returns the evidence shares for an option, by the option or action executing in the steps of its D. They sum
// to 1, unless there are none.
func (a *audit) shares(ctx context.Context, number int, d *stepCounts) (map[int]float64, error) {
	k, i := a.optionPlace(number)
	own, err := a.sharesOfSteps(ctx, k, a.purposes[k][i].Vector, d)
	if err != nil {
		return nil, err
	}
	return own.by[executing], nil
}

// before returns the steps of iteration k − 1's D by the executing source, given those of iteration k's, which it may
// modify.
func (a *audit) before(k int, d *stepCounts) *stepCounts {
	if k == 0 {
		return nil
	}
	if k == a.firstOf(k) {
		return a.walks[k-1]
	}
	by := d.by[executing]
	for source, t := range a.walks[k].by[executing] {
		if by[source] = by[source].add(t, -1); len(by[source]) == 0 {
			delete(by, source)
		}
	}
	return &stepCounts{by: d.by}
}
