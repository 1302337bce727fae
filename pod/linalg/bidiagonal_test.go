package linalg_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
)

// TestBidiagonalSpectra takes matrices U diag(σ) Vᵀ of known σ, with U and V from gonum's QR of random matrices: graded
// σ, clusters, σ that recur, and σ of 0, which stay exactly 0. Rows are fewer than columns, as many, or more.
func TestBidiagonalSpectra(t *testing.T) {
	const n = 40
	for name, sigma := range map[string]func(j int) float64{
		"graded":    func(j int) float64 { return math.Ldexp(1, -j) },
		"clustered": func(j int) float64 { return 1 + 1e-10*float64(n-j) },
		"recurring": func(j int) float64 { return float64(4 - j/10) },
		"deficient": func(j int) float64 { return float64(max(0, 7-j)) },
		"one":       func(int) float64 { return 3 },
	} {
		for _, height := range []int{25, n, 3 * n} {
			diagonal := mat.NewDense(height, n, nil)
			want := make([]float64, n)
			for j := range min(n, height) {
				want[j] = sigma(j)
				diagonal.Set(j, j, want[j])
			}
			var product mat.Dense
			product.Product(orthogonal(height, 1), diagonal, orthogonal(n, 2))
			rows := make([][]float64, height)
			for i := range rows {
				rows[i] = product.RawRowView(i)
			}
			f := factoredBy(t, linalg.Bidiagonal, n, rows)
			checkFactors(t, f, rows)
			bound := 8 * n * linalg.Epsilon * want[0]
			for j, x := range want {
				if math.Abs(f.Sigma[j]-x) > bound || x == 0 && f.Sigma[j] != 0 {
					t.Errorf("%s, %d rows: σ%d = %v, want %v ± %v", name, height, j+1, f.Sigma[j], x, bound)
				}
			}
		}
	}
}

// orthogonal returns the Q of gonum's QR of a random matrix.
func orthogonal(n int, seed uint64) mat.Matrix {
	stream := rng.NewStream(seed, 0, "test")
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64(stream.Uint64()>>12)/(1<<51)-1)
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}
