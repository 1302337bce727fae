package linalg_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// squareSizes are those for which BenchmarkSymmetric and BenchmarkBidiagonal measure.
var squareSizes = []int{64, 100, 256, 576, 1024, 2048}

// BenchmarkSymmetric factors 2I − L of the graph of a grid that is as square as can be, where L is the normalised
// Laplacian: what method laplacian factors.
func BenchmarkSymmetric(b *testing.B) {
	for _, n := range squareSizes {
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			benchmarkFactor(b, linalg.Symmetric, gridLaplacian(n))
		})
	}
}

// BenchmarkBidiagonal factors (I − γP)⁻¹ of the walk on a path, which is what method successor learns there.
func BenchmarkBidiagonal(b *testing.B) {
	for _, n := range squareSizes {
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			benchmarkFactor(b, linalg.Bidiagonal, pathSuccessor(n))
		})
	}
}

// gridLaplacian returns 2I − L of a grid of n states.
func gridLaplacian(n int) linalg.Dataset {
	width := int(math.Sqrt(float64(n)))
	for n%width != 0 {
		width--
	}
	degrees, rows := make([]float64, n), linalg.NewSquare(n)
	for s := range n {
		for _, next := range [2]int{s + 1, s + width} {
			if next < n && (next == s+width || next%width != 0) {
				degrees[s]++
				degrees[next]++
				rows[s][next], rows[next][s] = 1, 1
			}
		}
	}
	counted := make([]linalg.CountedRow, n)
	for s, row := range rows {
		row[s] = 1
		for next, x := range row {
			if next != s && x != 0 {
				row[next] = 1 / math.Sqrt(degrees[s]*degrees[next])
			}
		}
		counted[s] = linalg.CountedRow{Row: schema.NewSparseRow(row), Count: 1}
	}
	return linalg.NewDataset(n, counted)
}

// pathSuccessor returns (I − γP)⁻¹ for γ = 0.99 and a walk on a path of n states that goes either way with probability
// ½ and stays at its ends: entry (i, j) is u(min(i, j)) u(n − 1 − max(i, j)) times a constant, where u is the solution
// of u(i + 1) = 2u(i)/γ − u(i − 1).
func pathSuccessor(n int) linalg.Dataset {
	const gamma = 0.99
	u := make([]float64, n+1)
	u[0], u[1] = 1, 2/gamma-1
	for i := 2; i <= n; i++ {
		u[i] = 2/gamma*u[i-1] - u[i-2]
	}
	// u grows like 1.15^i: dividing by the last one first keeps the products from overflowing
	last := u[n] - u[n-1]
	counted := make([]linalg.CountedRow, n)
	for i := range n {
		row := make([]float64, n)
		for j := range row {
			row[j] = u[min(i, j)] / last * u[n-1-max(i, j)] * 2 / gamma
		}
		counted[i] = linalg.CountedRow{Row: schema.NewSparseRow(row), Count: 1}
	}
	return linalg.NewDataset(n, counted)
}
