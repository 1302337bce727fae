package linalg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// exactRank returns the rank of a matrix by elimination with fractions.
func exactRank(rows [][]float64) (rank int) {
	a := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		for _, x := range row {
			a[i] = append(a[i], new(big.Rat).SetFloat64(x))
		}
	}
	for column := 0; len(rows) > 0 && column < len(rows[0]); column++ {
		pivot := rank
		for pivot < len(a) && a[pivot][column].Sign() == 0 {
			pivot++
		}
		if pivot == len(a) {
			continue
		}
		a[rank], a[pivot] = a[pivot], a[rank]
		for _, row := range a[rank+1:] {
			factor := new(big.Rat).Quo(row[column], a[rank][column])
			for j := column; j < len(row); j++ {
				row[j].Sub(row[j], new(big.Rat).Mul(factor, a[rank][j]))
			}
		}
		rank++
	}
	return rank
}

// drawWholeRows draws a dataset of whole numbers of any rank.
func drawWholeRows(t *rapid.T) (d Dataset, rows [][]float64) {
	dims := rapid.IntRange(1, 8).Draw(t, "dims")
	rank := rapid.IntRange(0, dims).Draw(t, "rank")
	whole := rapid.Map(rapid.IntRange(-3, 3), func(n int) float64 { return float64(n) })
	basis := rapid.SliceOfN(rapid.SliceOfN(whole, dims, dims), rank, rank).Draw(t, "basis")
	var counted []CountedRow
	for _, weights := range rapid.SliceOfN(rapid.SliceOfN(whole, rank, rank), 1, 20).Draw(t, "weights") {
		row := make([]float64, dims)
		for r, weight := range weights {
			for j, x := range basis[r] {
				row[j] += weight * x
			}
		}
		rows = append(rows, row)
		counted = append(counted, CountedRow{schema.NewSparseRow(row), rapid.Int64Range(1, 1<<30).Draw(t, "count")})
	}
	return NewDataset(dims, counted), rows
}

// TestGramRank: as many σ are above 0 as the rank says that elimination with fractions finds.
func TestGramRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, rows := drawWholeRows(t)
		f, err := Factor(context.Background(), Gram, d)
		if err != nil {
			t.Fatal(err)
		}
		want := exactRank(rows)
		for j, s := range f.Sigma {
			if (s > 0) != (j < want) {
				t.Fatalf("σ = %v of rank %d", f.Sigma, want)
			}
		}
	})
}

// TestGramErrorBound: with 200 bits σ² are as the comment of factorGram says, but for 8dε·σ₁².
func TestGramErrorBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _ := drawWholeRows(t)
		f, err := Factor(context.Background(), Gram, d)
		if err != nil {
			t.Fatal(err)
		}
		want := eigenvaluesOf(gramWithBits(d))
		bound := 8 * float64(d.Dims) * Epsilon * want[0]
		for j, s := range f.Sigma {
			if math.Abs(s*s-want[j]) > bound {
				t.Fatalf("σ%d² = %v, want %v, bound %v", j, s*s, want[j], bound)
			}
		}
	})
}

const oracleBits = 200

func precise(x float64) *big.Float { return new(big.Float).SetPrec(oracleBits).SetFloat64(x) }

func gramWithBits(d Dataset) [][]*big.Float {
	g := make([][]*big.Float, d.Dims)
	for i := range g {
		for range d.Dims {
			g[i] = append(g[i], precise(0))
		}
	}
	for i, row := range d.Rows {
		for _, a := range row {
			for _, b := range row {
				x := precise(a.Value)
				x.Mul(x, precise(b.Value)).Mul(x, precise(float64(d.Counts[i])))
				g[a.Feature][b.Feature].Add(g[a.Feature][b.Feature], x)
			}
		}
	}
	return g
}

// eigenvaluesOf returns the eigenvalues in descending order, by Jacobi's two-sided method
// (Golub & Van Loan, 4th ed., §8.5), which has nothing in common with what is tested.
func eigenvaluesOf(g [][]*big.Float) []float64 {
	for range 30 {
		for p := range g {
			for q := p + 1; q < len(g); q++ {
				rotateSymmetric(g, p, q)
			}
		}
	}
	values := make([]float64, len(g))
	for i := range g {
		values[i], _ = g[i][i].Float64()
	}
	sorted := make([]float64, len(g))
	for i, at := range descending(values) {
		sorted[i] = values[at]
	}
	return sorted
}

// rotateSymmetric makes g(p,q) zero by a rotation from both sides.
func rotateSymmetric(g [][]*big.Float, p, q int) {
	if g[p][q].Sign() == 0 {
		return
	}
	tau := new(big.Float).Sub(g[q][q], g[p][p])
	tau.Quo(tau, new(big.Float).Mul(precise(2), g[p][q]))
	root := new(big.Float).Mul(tau, tau)
	root.Sqrt(root.Add(root, precise(1)))
	tangent := new(big.Float).Add(new(big.Float).Abs(tau), root)
	tangent.Quo(precise(1), tangent)
	if tau.Sign() < 0 {
		tangent.Neg(tangent)
	}
	c := new(big.Float).Mul(tangent, tangent)
	c.Quo(precise(1), c.Sqrt(c.Add(c, precise(1))))
	s := new(big.Float).Mul(tangent, c)
	turn := func(x, y *big.Float) {
		a := new(big.Float).Sub(new(big.Float).Mul(c, x), new(big.Float).Mul(s, y))
		b := new(big.Float).Add(new(big.Float).Mul(s, x), new(big.Float).Mul(c, y))
		x.Set(a)
		y.Set(b)
	}
	for i := range g {
		turn(g[i][p], g[i][q])
	}
	for i := range g {
		turn(g[p][i], g[q][i])
	}
}

// TestGramIsCancelled: every part of it looks at its context.
func TestGramIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, how := range []Factoring{Gram, Reduced} {
		d := Dataset{Dims: 2, Rows: schema.NewSparseRows(2, []float64{-1, 0, 0, 1, 1, 1}), Counts: []int64{1, 2, 1}}
		if _, err := Factor(ctx, how, d); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", how, err)
		}
	}
}

// TestUnits: the unit vectors of features that never change are those of the identity, in the memory of two.
func TestUnits(t *testing.T) {
	const dims = 1000
	live, whole := []int{0, 7, 999}, identity(dims)
	var units [][]float64
	size := testing.AllocsPerRun(10, func() { units = appendUnits(make([][]float64, 0, dims), live, dims) })
	if size > 2 {
		t.Errorf("%v allocations", size)
	}
	whole = slices.Concat(whole[1:7], whole[8:999])
	if !slices.EqualFunc(units, whole, slices.Equal) {
		t.Error("they are others than those of the identity")
	}
}
