package diff

import (
	"math"
	"slices"
)

// assign returns an optimal assignment: for each row of an n×m matrix of weights its column, or
// −1, such that min(n, m) rows are assigned and the sum of their weights is maximal. It uses
// shortest augmenting paths (the Hungarian method; Jonker and Volgenant, Computing 38, 1987) in
// O(min² max). Ties go to the lowest index.
func assign(weights [][]float64, n, m int) []int {
	if n > m {
		return inverse(assign(transpose(weights, m), m, n), n)
	}
	h := hungarian{
		cost: weights, rowPrice: make([]float64, n), price: make([]float64, m), least: make([]float64, m),
		owner: slices.Repeat([]int{none}, m), before: make([]int, m), open: make([]int, m),
	}
	for row := range n {
		h.augment(row)
	}
	columns := make([]int, n)
	for column, row := range h.owner {
		if row != none {
			columns[row] = column
		}
	}
	return columns
}

// none stands for no row or no column.
const none = -1

// hungarian holds the state of the Hungarian method.
type hungarian struct {
	cost            [][]float64
	rowPrice, price []float64 // dual variables
	owner           []int     // row of a column, none for a free one

	// Of the search for the cheapest path from a row to a free column:
	least  []float64 // cost of the cheapest path to a column
	before []int     // column before this one on that path, none for the first
	open   []int     // columns to which a cheaper path may be found, ascending
}

// augment finds the cheapest path from a new row to a free column, and reassigns the rows on it.
func (h *hungarian) augment(row int) {
	h.open = h.open[:cap(h.open)]
	for j := range h.open {
		h.open[j], h.least[j] = j, math.Inf(1)
	}
	column, length, first := none, 0.0, row
	var closed []int
	for {
		column = h.extend(row, column, length)
		length = h.least[column]
		if h.owner[column] == none {
			break
		}
		row, closed = h.owner[column], append(closed, column)
	}
	h.rowPrice[first] += length
	for _, j := range closed {
		h.rowPrice[h.owner[j]] += length - h.least[j]
		h.price[j] -= length - h.least[j]
	}
	for column != none {
		from := h.before[column]
		if h.owner[column] = first; from != none {
			h.owner[column] = h.owner[from]
		}
		column = from
	}
}

// extend relaxes the open columns from a row, which the path reaches by a column and at that length. It closes the
// nearest column and returns it.
func (h *hungarian) extend(row, by int, length float64) (nearest int) {
	at, step, cost, base := 0, math.Inf(1), h.cost[row], length-h.rowPrice[row]
	for i, j := range h.open {
		if c := base - cost[j] - h.price[j]; c < h.least[j] {
			h.least[j], h.before[j] = c, by
		}
		if h.least[j] < step {
			step, at = h.least[j], i
		}
	}
	nearest = h.open[at]
	h.open = slices.Delete(h.open, at, at+1)
	return nearest
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
	rows := make([]int, n)
	for j := range rows {
		rows[j] = -1
	}
	for i, j := range columns {
		if j >= 0 {
			rows[j] = i
		}
	}
	return rows
}
