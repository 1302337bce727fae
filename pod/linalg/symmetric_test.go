package linalg_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// graphLaplacian returns diag(degree) − A of a graph of n vertices with weighted edges, which is symmetric and positive
// semidefinite. Its eigenvalue 0 occurs once for each component (Chung, Spectral Graph Theory, 1997, §1.3).
func graphLaplacian(n int, edges map[[2]int]float64) [][]float64 {
	rows := linalg.NewSquare(n)
	for e, weight := range edges {
		for side, at := range e {
			rows[at][at] += weight
			rows[at][e[1-side]] -= weight
		}
	}
	return rows
}

// TestFactorOfGraphs compares Laplacians of graphs with gonum: of several components, with vertices that have no edges
// and eigenvalues that recur. σ is exactly 0 once for each component.
func TestFactorOfGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 24).Draw(t, "n")
		edges, component := map[[2]int]float64{}, make([]int, n)
		for i := range component {
			component[i] = i
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if from == to {
				continue
			}
			edges[[2]int{min(from, to), max(from, to)}] = float64(rapid.IntRange(1, 8).Draw(t, "weight")) / 4
			a, b := component[from], component[to]
			for i, c := range component {
				if c == a {
					component[i] = b
				}
			}
		}
		rows := graphLaplacian(n, edges)
		f := factoredBy(t, linalg.Symmetric, n, rows)
		checkFactors(t, f, rows)
		slices.Sort(component)
		zeros := len(slices.Compact(component))
		if got := countZeros(f.Sigma); got != zeros {
			t.Errorf("σ = %v has %d zeros, of %d components", f.Sigma, got, zeros)
		}
	})
}

func countZeros(xs []float64) (n int) {
	for _, x := range xs {
		if x == 0 {
			n++
		}
	}
	return n
}

// TestFactorOfMultiples has closed forms: the Laplacian of a complete graph has the eigenvalues n and 0, that of a grid
// all sums of two of 2 − 2cos(πi/k) (Fiedler, Czechoslovak Mathematical Journal 23, 1973), so most of them twice.
func TestFactorOfMultiples(t *testing.T) {
	complete, completeWants := map[[2]int]float64{}, make([]float64, 30)
	for i := range 30 {
		for j := range i {
			complete[[2]int{j, i}] = 1
		}
		if i > 0 {
			completeWants[i] = 30
		}
	}
	const side = 12
	grid, gridWants := map[[2]int]float64{}, []float64(nil)
	wave := func(i int) float64 { return 2 - 2*math.Cos(math.Pi*float64(i)/side) }
	for i := range side {
		for j := range side {
			if at := i*side + j; j+1 < side {
				grid[[2]int{at, at + 1}] = 1
			}
			if at := i*side + j; i+1 < side {
				grid[[2]int{at, at + side}] = 1
			}
			gridWants = append(gridWants, wave(i)+wave(j))
		}
	}
	for name, c := range map[string]struct {
		edges map[[2]int]float64
		want  []float64
	}{"complete": {complete, completeWants}, "grid": {grid, gridWants}} {
		t.Run(name, func(t *testing.T) {
			n := len(c.want)
			rows := graphLaplacian(n, c.edges)
			f := factoredBy(t, linalg.Symmetric, n, rows)
			checkV(t, f)
			checkOrder(t, f)
			checkRebuilt(t, f)
			slices.SortFunc(c.want, func(a, b float64) int { return cmpFloat(b, a) })
			for j, want := range c.want {
				if bound := 8 * float64(n) * linalg.Epsilon * c.want[0]; math.Abs(f.Sigma[j]-want) > bound {
					t.Errorf("σ%d = %v, want %v ± %v", j+1, f.Sigma[j], want, bound)
				}
			}
			if f.Sigma[n-2] == 0 || f.Sigma[n-1] != 0 {
				t.Errorf("σ ends with %v", f.Sigma[n-2:])
			}
		})
	}
}

// TestNotSymmetric: rows that are not those of a symmetric matrix are refused.
func TestNotSymmetric(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"not symmetric":       {{2, 1}, {0, 2}},
		"fewer rows":          {{2, 1}},
		"more rows":           {{2, 1}, {1, 2}, {1, 2}},
		"largest outside":     {{1, 2}, {2, 1}, {1, 2}},
		"equal largest":       {{1, 1}, {0, 1}},
		"two of one diagonal": {{3, 1}, {3, 2}},
		"no row of a column":  {{0, 0}, {1, 2}},
		"indefinite":          {{-1, -2}, {-2, -1}},
	} {
		d := podtest.Counted(2, rows)
		if f, err := linalg.Factor(t.Context(), linalg.Symmetric, d); err == nil {
			t.Errorf("%s: σ = %v", name, f.Sigma)
		}
	}
	f := factoredBy(t, linalg.Symmetric, 4, [][]float64{{0, 1, 1, 0}, {0, 1, 1, 0}}) // equal rows
	if got := fmt.Sprintf("%.12f", f.Sigma); got != "[2.000000000000 0.000000000000 0.000000000000 0.000000000000]" {
		t.Errorf("σ = %s", got)
	}
	checkV(t, f)
}
