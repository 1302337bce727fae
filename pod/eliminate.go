package pod

// eliminate solves A X = B for the n×n matrix A, given by rows [A | B], and leaves X
// in the place of B. A must be strictly or irreducibly diagonally dominant, as
// I − P is for a chain that ends: such a system needs no exchange of rows. Multiples
// that are 0 are skipped, so a band costs what a band does.
func eliminate(rows [][]float64) {
	n := len(rows)
	for k, pivot := range rows {
		for _, row := range rows[k+1:] {
			if row[k] != 0 {
				subtract(row[k:], pivot[k:], row[k]/pivot[k])
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		pivot := rows[k]
		for c := n; c < len(pivot); c++ {
			pivot[c] /= pivot[k]
		}
		for _, row := range rows[:k] {
			if row[k] != 0 {
				subtract(row[n:], pivot[n:], row[k])
			}
		}
	}
}

// subtract takes a multiple of y from x.
func subtract(x, y []float64, multiple float64) {
	for i, yi := range y[:len(x)] {
		x[i] -= float64(multiple * yi)
	}
}
