package diff

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/linalg"
)

// projection returns XX⁺ of the matrix X that has the vectors as columns.
func projection(vectors [][]float64, d int) *mat.Dense {
	x := mat.NewDense(d, len(vectors), nil)
	for j, v := range vectors {
		x.SetCol(j, v)
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	var u, p mat.Dense
	svd.UTo(&u)
	rank := 0
	for _, s := range svd.Values(nil) {
		if s > 1e-9 {
			rank++
		}
	}
	if rank == 0 {
		return mat.NewDense(d, d, nil)
	}
	basis := u.Slice(0, d, 0, rank)
	p.Mul(basis, basis.T())
	return &p
}

// TestOverlapOfProjections compares overlap with ‖P_A P_B‖²_F / m − n/d, with both projections written out, and the
// principal angles with P_A P_B's singular values. Vectors need not be independent.
func TestOverlapOfProjections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 7).Draw(t, "d")
		var sets [2][][]float64
		var ranks [2]float64
		var projections [2]*mat.Dense
		for i, name := range []string{"a", "b"} {
			n := rapid.IntRange(1, d).Draw(t, name+" size")
			sets[i] = drawOrthonormal(t, name, n, d)
			if rapid.Bool().Draw(t, name+" repeats") {
				sets[i] = append(sets[i], sets[i][0], make([]float64, d))
			}
			projections[i] = projection(sets[i], d)
			ranks[i] = math.Round(mat.Trace(projections[i]))
		}
		a, b := basisOf(t, sets[0]), basisOf(t, sets[1])
		if float64(len(a)) != ranks[0] || float64(len(b)) != ranks[1] {
			t.Fatalf("spans of %d and %d dimensions, want %v", len(a), len(b), ranks)
		}
		var product mat.Dense
		product.Mul(projections[0], projections[1])
		norm := mat.Norm(&product, 2) // Frobenius
		want := norm*norm/math.Min(ranks[0], ranks[1]) - math.Max(ranks[0], ranks[1])/float64(d)
		if got, most := subspaceOverlap(a, b, d); math.Abs(*got-want) > rounding || *got > *most+rounding {
			t.Fatalf("overlap %v of at most %v, want %v", *got, *most, want)
		}
		var svd mat.SVD
		svd.Factorize(&product, mat.SVDNone)
		values := svd.Values(nil)
		for i, c := range principalCosines(a, b) {
			if math.Abs(c-values[i]) > rounding || c > 1 {
				t.Fatalf("cosine %d of the principal angles %v, want %v", i, c, values[i])
			}
		}
	})
}

func TestOverlapKnown(t *testing.T) {
	e := [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for _, c := range []struct {
		name       string
		a, b       [][]float64
		want, most float64
	}{
		{"the same plane", e[:2], [][]float64{{3, 4, 0, 0}, {0, 2, 0, 0}}, 0.5, 0.5},
		{"orthogonal planes", e[:2], e[2:], -0.5, 0.5},
		{"half", e[:2], e[1:3], 0, 0.5},
		{"a line in a plane", e[:1], e[:2], 0.5, 0.5},
		{"everything", e, e, 0, 0},
	} {
		for _, swapped := range []bool{false, true} {
			a, b := basisOf(t, c.a), basisOf(t, c.b)
			if swapped {
				a, b = b, a
			}
			got, most := subspaceOverlap(a, b, 4)
			closeTo(t, c.name, *got, c.want)
			closeTo(t, c.name+", at most", *most, c.most)
		}
	}
	for _, empty := range [][][]float64{nil, {{0, 0, 0, 0}}} {
		if got, most := subspaceOverlap(basisOf(t, empty), basisOf(t, e), 4); got != nil || most != nil {
			t.Error("an empty span overlaps something")
		}
	}
	if principalCosines(nil, e) != nil {
		t.Error("an empty span has principal angles")
	}
}

// basisOf returns the orthonormal basis of the span of some vectors.
func basisOf(t interface {
	Context() context.Context
	Fatal(...any)
}, vectors [][]float64) [][]float64 {
	basis, err := orthonormalBasis(t.Context(), vectors)
	if err != nil {
		t.Fatal(err)
	}
	return basis
}

// TestBasisOfManyVectors: blocks of vectors are made orthogonal together, and those that depend on earlier ones left
// out.
func TestBasisOfManyVectors(t *testing.T) {
	const dims, n = 40, 75
	random := rand.New(rand.NewPCG(1, 2))
	vectors := make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, dims)
		for c := range dims / 2 {
			vectors[i][2*c] = random.NormFloat64()
		}
	}
	basis := basisOf(t, vectors)
	if len(basis) != dims/2 {
		t.Fatalf("%d vectors span %d dimensions, want %d", n, len(basis), dims/2)
	}
	for i, products := range linalg.Products(basis, basis) {
		products[i]--
		for j, x := range products {
			if math.Abs(x) > 1e-12 {
				t.Errorf("the product of vectors %d and %d is off by %v", i, j, x)
			}
		}
	}
}
