package diff

import (
	"cmp"
	"math"
	"slices"
)

// assign returns an optimal assignment: for each row of an n×m matrix of finite weights its column, or −1, such that
// min(n, m) rows are assigned and the sum of their weights is maximal. It uses shortest augmenting paths (the Hungarian
// method; Jonker and Volgenant, Computing 38, 1987) in O(min² max). Ties go to the lowest index.
func assign(weights [][]float64, n, m int) []int {
	if n > m {
		return inverse(assign(transpose(weights, m), m, n), n)
	}
	return newHungarian(weights, n, m).columns()
}

func newHungarian(weights [][]float64, n, m int) *hungarian {
	h := &hungarian{
		cost: weights, rowPrice: make([]float64, n), price: make([]float64, m), least: make([]float64, m),
		owner: slices.Repeat([]int{none}, m), before: make([]int, m), visits: make([]int, n), heaviest: make([][]int32, n),
	}
	for _, row := range weights {
		h.lightest = min(h.lightest, slices.Min(row))
	}
	return h
}

// columns assigns all rows, and returns the column of each.
func (h *hungarian) columns() []int {
	columns := make([]int, len(h.cost))
	for row := range columns {
		h.augment(row)
	}
	for column, row := range h.owner {
		if row != none {
			columns[row] = column
		}
	}
	return columns
}

const none = -1 // no row or no column

// hungarian holds the state of the Hungarian method.
type hungarian struct {
	cost            [][]float64
	rowPrice, price []float64 // dual variables; −∞ for a closed column, so that no path to it is cheaper
	owner           []int     // row of a column, none for a free one
	lightest        float64   // at most any weight
	visits          []int     // of a row, by all searches
	heaviest        [][]int32 // columns by descending weight, nil for rows with few visits

	// Of the search for the cheapest path from a row to a free column:
	least  []float64 // cost of the cheapest path to an open column, ∞ for a closed one
	before []int     // column before this one on that path, none for the first
	closed []closedColumn
	reach  float64 // no open column's least is above reach minus its price
}

// A closedColumn is a column to which the cheapest path is known.
type closedColumn struct {
	column        int
	price, length float64
}

// augment finds the cheapest path from a new row to a free column, and reassigns the rows on it.
func (h *hungarian) augment(row int) {
	for j := range h.least {
		h.least[j] = math.Inf(1)
	}
	h.closed, h.reach = h.closed[:0], math.Inf(1)
	first := row
	column, length := h.extend(row, none, 0)
	for h.owner[column] != none {
		h.closed = append(h.closed, closedColumn{column, h.price[column], length})
		h.price[column], h.least[column] = math.Inf(-1), math.Inf(1)
		column, length = h.extend(h.owner[column], column, length)
	}
	h.rowPrice[first] += length
	for _, c := range h.closed {
		h.rowPrice[h.owner[c.column]] += length - c.length
		h.price[c.column] = c.price - (length - c.length)
	}
	for column != none {
		from := h.before[column]
		if h.owner[column] = first; from != none {
			h.owner[column] = h.owner[from]
		}
		column = from
	}
}

// extend relaxes the open columns from a row, which the path reaches by a column and at that length. It returns the
// nearest open column and the length of the path to it.
func (h *hungarian) extend(row, by int, length float64) (nearest int, shortest float64) {
	cost, base := h.cost[row], length-h.rowPrice[row]
	price, least, before := h.price[:len(cost)], h.least[:len(cost)], h.before[:len(cost)]
	nearest, shortest = none, math.Inf(1)
	reach := h.reach
	h.reach = min(reach, base-h.lightest)
	if h.visits[row]++; h.visits[row] >= manyVisits {
		for _, j := range h.byWeight(row) {
			if base-cost[j] >= reach {
				break // lighter ones make no path shorter
			}
			if c := base - cost[j] - price[j]; c < least[j] {
				least[j], before[j] = c, by
			}
		}
		for j, l := range least {
			if l < shortest {
				nearest, shortest = j, l
			}
		}
		return nearest, shortest
	}
	for j, weight := range cost {
		l := least[j]
		if c := base - weight - price[j]; c < l {
			l, least[j], before[j] = c, c, by
		}
		if l < shortest {
			nearest, shortest = j, l
		}
	}
	return nearest, shortest
}

const manyVisits = 64 // to a row, from which on sorting its columns saves time

// byWeight returns the columns of a row, the heaviest first.
func (h *hungarian) byWeight(row int) []int32 {
	if h.heaviest[row] == nil {
		cost, order := h.cost[row], make([]int32, len(h.cost[row]))
		for j := range order {
			order[j] = int32(j)
		}
		slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(cost[j], cost[i]) })
		h.heaviest[row] = order
	}
	return h.heaviest[row]
}

func transpose(a [][]float64, columns int) [][]float64 {
	t := make([][]float64, columns)
	for j := range t {
		t[j] = make([]float64, len(a))
		for i := range a {
			t[j][i] = a[i][j]
		}
	}
	return t
}

// inverse returns the row of each of n columns, given the column of each row.
func inverse(columns []int, n int) []int {
	rows := slices.Repeat([]int{none}, n)
	for i, j := range columns {
		if j >= 0 {
			rows[j] = i
		}
	}
	return rows
}
