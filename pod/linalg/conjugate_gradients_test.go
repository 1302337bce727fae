package linalg

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// denseOperator is a matrix with all entries, in rows.
type denseOperator [][]float64

func (d denseOperator) Multiply(_ context.Context, x, out []float64) error {
	for i, row := range d {
		out[i] = Dot(row, x)
	}
	return nil
}

func (d denseOperator) MultiplyTransposed(_ context.Context, x, out []float64) error {
	clear(out)
	for i, row := range d {
		subtractMultiple(out, row, -x[i])
	}
	return nil
}

func drawSquare(t *rapid.T, n int, own float64) [][]float64 {
	m := NewSquare(n)
	for i, row := range m {
		copy(row, rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "row"))
		row[i] += own
	}
	return m
}

// TestSolveGradients compares with Gaussian elimination.
func TestSolveGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		m, b := drawSquare(t, n, float64(2*n)), rapid.SliceOfN(rapid.Float64Range(-9, 9), n, n).Draw(t, "b")
		x, ok, err := SolveGradients(context.Background(), denseOperator(m), b)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		rows := NewSquare(n)
		for i := range m {
			copy(rows[i], m[i])
		}
		want, _, _ := SolveGauss(context.Background(), rows, slices.Clone(b), make([]float64, n))
		for i := range x {
			if math.Abs(x[i]-want[i]) > 1e-10*(1+math.Abs(want[i])) {
				t.Fatalf("x%d is %v, by elimination %v", i, x[i], want[i])
			}
		}
	})
}

// TestSolveGradientsWithoutSolution: x + y is not 0 and 1 at once, and nothing is solved by what is not a
// number.
func TestSolveGradientsWithoutSolution(t *testing.T) {
	for _, b := range [][]float64{{0, 1}, {math.NaN(), 1}} {
		if x, ok, err := SolveGradients(context.Background(), denseOperator{{1, 1}, {1, 1}}, b); ok || err != nil {
			t.Errorf("%v is solved by %v, %v", b, x, err)
		}
	}
	if x, ok, _ := SolveGradients(context.Background(), denseOperator{{0}}, []float64{0}); !ok || x[0] != 0 {
		t.Error("0 is not solved by 0")
	}
}

// TestEnvelope: LLᵀ of a matrix whose rows begin anywhere is the matrix, a row that depends on earlier ones
// is 0, and both triangles are solved.
func TestEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		vectors, width := NewSquare(n), n
		for i := range vectors { // row i is 0 up to a point, so that the Gram matrix's is
			from := rapid.IntRange(0, i).Draw(t, "from")
			for j := from; j <= i; j++ {
				vectors[i][j] = rapid.Float64Range(0.5, 2).Draw(t, "x")
			}
		}
		if n > 1 && rapid.Bool().Draw(t, "dependent") {
			copy(vectors[n-1], vectors[n-2])
		}
		gram, first := NewSquare(width), make([]int32, width)
		for i := range gram {
			first[i] = int32(i)
			for j := range i + 1 {
				gram[i][j] = Dot(vectors[i], vectors[j])
				if gram[i][j] != 0 {
					first[i] = min(first[i], int32(j))
				}
			}
		}
		e := NewEnvelope(first)
		for i, row := range e.Rows {
			copy(row, gram[i][first[i]:i+1])
		}
		if err := e.Factor(context.Background()); err != nil {
			t.Fatal(err)
		}
		lower := NewSquare(n)
		for i, row := range e.Rows {
			copy(lower[i][first[i]:], row)
		}
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "x")
		for i := range lower {
			if lower[i][i] == 0 {
				x[i] = 0
				continue
			}
			for j := range i + 1 {
				if lower[j][j] != 0 && math.Abs(Dot(lower[i], lower[j])-gram[i][j]) > 1e-12*gram[i][i] {
					t.Fatalf("entry %d, %d of LLᵀ is %v, want %v", i, j, Dot(lower[i], lower[j]), gram[i][j])
				}
			}
		}
		for name, both := range map[string]struct {
			multiply func(ctx context.Context, x, out []float64) error
			solve    func(x []float64)
		}{
			"L": {denseOperator(lower).Multiply, e.Solve}, "Lᵀ": {denseOperator(lower).MultiplyTransposed, e.SolveTransposed},
		} {
			y := make([]float64, n)
			_ = both.multiply(context.Background(), x, y)
			both.solve(y)
			for i := range x {
				if math.Abs(x[i]-y[i]) > 1e-4 {
					t.Fatalf("%s: x%d is %v, want %v", name, i, y[i], x[i])
				}
			}
		}
	})
}
