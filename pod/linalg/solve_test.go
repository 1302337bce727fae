package linalg

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawMatrix has zeros, as the systems of one-hot features do.
func drawMatrix(t *rapid.T, rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(-10, 10)), columns, columns).Draw(t,
			"row")
	}
	return m
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// TestSolve: solveGauss agrees with gonum's LU decomposition.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		a, b := drawMatrix(t, n, n), drawMatrix(t, 1, n)[0]
		for i := range a {
			a[i][i] += 50 // so that it is well conditioned, and a pivot is not where another is larger
		}
		a[0], a[n-1], b[0], b[n-1] = a[n-1], a[0], b[n-1], b[0]
		var want mat.VecDense
		if err := want.SolveVec(mat.NewDense(n, n, slices.Concat(a...)),
			mat.NewVecDense(n, slices.Clone(b))); err != nil {
			t.Skip(err)
		}
		got, ok, err := SolveGauss(context.Background(), a, b, ones(n))
		if err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		for i, x := range got {
			if math.Abs(x-want.AtVec(i)) > 1e-9*math.Max(1, math.Abs(want.AtVec(i))) {
				t.Fatalf("x[%d] = %v, gonum has %v", i, x, want.AtVec(i))
			}
		}
	})
}

func TestSolveRefuses(t *testing.T) {
	twice := func() [][]float64 { return [][]float64{{0.1, 0.3}, {0.2, 0.6}} } // of which rounding leaves something
	if _, ok, err := SolveGauss(context.Background(), twice(), []float64{1, 2}, ones(2)); ok || err != nil {
		t.Errorf("a singular system: solved %v, %v", ok, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := SolveGauss(done, [][]float64{{1}}, []float64{1}, ones(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was told to stop: %v", err)
	}
}

// TestIndependent: columns that are sums of earlier ones are reported as dependent.
func TestIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "columns")
		x := drawMatrix(t, n+3, n)
		for i := range x {
			x[i][i%n] += 40 // the first n columns are independent
			x[i] = append(x[i], 0, 0)
			for j := range n {
				x[i][n] += x[i][j]
			}
			x[i][n+1] = 1e-3 * float64(i*i*i)
		}
		g := NewSquare(n + 2)
		for _, row := range x {
			for i := range g {
				for j := range g {
					g[i][j] += row[i] * row[j]
				}
			}
		}
		keeps := IndependentColumns(g)
		for i := range n {
			if !keeps[i] {
				t.Errorf("column %d of %d is left out", i, n)
			}
		}
		if keeps[n] {
			t.Errorf("the sum of the columns before it is kept")
		}
	})
	if keeps := IndependentColumns([][]float64{{0, 0}, {0, 2}}); keeps[0] || !keeps[1] {
		t.Errorf("columns of zeros and of others: %v", keeps)
	}
}
