package diff

import "math"

// assign returns an optimal assignment: for each row of an n×m matrix of weights its column, or
// −1, such that min(n, m) rows are assigned and the sum of their weights is maximal. It uses
// shortest augmenting paths (the Hungarian method; Jonker and Volgenant, Computing 38, 1987) in
// O(min² max). Ties go to the lowest index.
func assign(weights [][]float64, n, m int) []int {
	if n > m {
		return inverse(assign(transpose(weights, m), m, n), n)
	}
	h := hungarian{
		cost: weights, rowPrice: make([]float64, n+1), price: make([]float64, m+1),
		owner: make([]int, m+1), before: make([]int, m+1),
	}
	for row := 1; row <= n; row++ {
		h.augment(row)
	}
	columns := make([]int, n)
	for col := 1; col <= m; col++ {
		if h.owner[col] > 0 {
			columns[h.owner[col]-1] = col - 1
		}
	}
	return columns
}

// hungarian holds the state of the Hungarian method. Rows and columns count from 1; column 0
// stands for "not assigned".
type hungarian struct {
	cost            [][]float64
	rowPrice, price []float64 // dual variables
	owner           []int     // row of a column, 0 for none
	before          []int     // column before this one on the cheapest path
}

// augment finds the cheapest path from a new row to a free column, and reassigns the rows on it.
func (h *hungarian) augment(row int) {
	m := len(h.price) - 1
	least, done := make([]float64, m+1), make([]bool, m+1)
	for col := range least {
		least[col] = math.Inf(1)
	}
	h.owner[0] = row
	col := 0
	for h.owner[col] != 0 {
		done[col] = true
		col = h.extend(col, least, done)
	}
	for col != 0 {
		h.owner[col] = h.owner[h.before[col]]
		col = h.before[col]
	}
}

// extend relaxes the columns reachable from col's row, updates the prices and returns the nearest
// column.
func (h *hungarian) extend(col int, least []float64, done []bool) (nearest int) {
	row, step := h.owner[col], math.Inf(1)
	for j := 1; j < len(least); j++ {
		if done[j] {
			continue
		}
		if c := -h.cost[row-1][j-1] - h.rowPrice[row] - h.price[j]; c < least[j] {
			least[j], h.before[j] = c, col
		}
		if least[j] < step {
			step, nearest = least[j], j
		}
	}
	if step == 0 {
		return nearest // the usual case when many weights are equal
	}
	for j := range least {
		if done[j] {
			h.rowPrice[h.owner[j]] += step
			h.price[j] -= step
		} else {
			least[j] -= step
		}
	}
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
