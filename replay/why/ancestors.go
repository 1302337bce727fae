package why

import (
	"cmp"
	"slices"
)

// ancestors follows the shares of options that were in force back to iteration 0.
func (a *audit) ancestors() {
	a.out.Ancestors = []Ancestor{}
	target := a.begin[a.k] + a.at
	if !a.hasModel() || a.depth == 0 {
		return
	}
	influence, depth := map[int]float64{target: 1}, map[int]int{target: 0}
	direct := map[int]float64{}
	for number := target; number >= 0; number-- {
		x, reached := influence[number]
		if !reached || x < negligible || a.depth > 0 && depth[number] >= a.depth {
			continue
		}
		for source, share := range a.shares(number) {
			influence[source] += x * share
			if had, ok := depth[source]; !ok || depth[number]+1 < had {
				depth[source] = depth[number] + 1
			}
			if number == target {
				direct[source] = share
			}
		}
	}
	for number, x := range influence {
		if number != target && number >= 0 {
			a.out.Ancestors = append(a.out.Ancestors, Ancestor{Option: a.nameOf(number, true), Depth: depth[number], Share: direct[number], Influence: x})
		}
	}
	slices.SortFunc(a.out.Ancestors, func(x, y Ancestor) int {
		return cmp.Or(-cmp.Compare(x.Influence, y.Influence), cmp.Compare(x.Option, y.Option))
	})
	slices.SortFunc(a.out.edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.to, y.to), -cmp.Compare(x.share, y.share), cmp.Compare(x.from, y.from))
	})
}

// negligible is the influence under which an ancestor is not followed further.
const negligible = 1e-6

// shares of the evidence for an option, by what was in force.
func (a *audit) shares(number int) map[int]float64 {
	k, i := a.place(number)
	data := a.dataOf(k)
	w := weigh(a.purposes[k][i].Vector, a.rows.vectors, data.all())
	shares := map[int]float64{}
	for source, c := range data.force {
		share, _ := w.of(c)
		if share > 0 {
			shares[source] = share
			a.out.edges = append(a.out.edges, edge{from: a.nameOf(source, true), to: a.nameOf(number, true), share: share, action: source < 0})
		}
	}
	return shares
}
