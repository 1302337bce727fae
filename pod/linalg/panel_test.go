package linalg

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// reducePlainly is [reduceToTridiagonal] as it was written first: it changes the whole matrix by each reflection before
// it makes the next, and all of Z.
func reducePlainly(a [][]float64) *tridiagonal {
	n := len(a)
	t := &tridiagonal{diagonal: make([]float64, n), beside: make([]float64, n), z: identity(n)}
	scales := make([]float64, n)
	for k := range n {
		t.diagonal[k] = a[k][k]
		if k == n-1 {
			break
		}
		v, w := a[k][k+1:], make([]float64, n-k-1)
		t.beside[k], scales[k] = makeReflection(v)
		s := scales[k]
		if s == 0 {
			continue
		}
		for i, row := range a[k+1:] {
			w[i] = Dot(v, row[k+1:])
		}
		half := float64(float64(s*s)*Dot(w, v)) / 2
		for i, x := range v {
			w[i] = float64(s*w[i]) - float64(half*x)
		}
		for i, row := range a[k+1:] {
			subtractTwo(row[k+1:], w, v, v[i], w[i])
		}
	}
	t.noise = float64(Epsilon * t.norm())
	for k := n - 2; k >= 0; k-- {
		if v := a[k][k+1:]; scales[k] != 0 {
			for _, row := range t.z[k+1:] {
				subtractMultiple(row[k+1:], v, float64(scales[k]*Dot(v, row[k+1:])))
			}
		}
	}
	return t
}

// diagonalisePlainly is [tridiagonal.diagonalise] with each rotation done at once.
func (t *tridiagonal) diagonalisePlainly() error {
	for i := range t.diagonal {
		if err := t.findEigenvalue(i); err != nil {
			return err
		}
		for _, r := range t.pending {
			turnSlices(t.z[r.row], t.z[r.row+1], r.c, r.s)
		}
		t.pending = nil
	}
	return nil
}

// TestPanels compares the tridiagonal form and the eigenvectors with those computed plainly, bit by bit: of matrices
// with few entries, whose reflections are often nothing, and of full ones.
func TestPanels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*panelWidth).Draw(t, "n")
		density := rapid.IntRange(1, 100).Draw(t, "density")
		entry := rapid.Custom(func(t *rapid.T) float64 {
			if rapid.IntRange(1, 100).Draw(t, "chance") > density {
				return 0
			}
			// numbers so small that their squares are 0 do not occur: what is factored is near 1
			real := rapid.Map(rapid.Float64Range(1, 2), func(x float64) float64 { return x - 1.5 })
			whole := rapid.Map(rapid.IntRange(-3, 3), func(x int) float64 { return float64(x) })
			return rapid.OneOf(real, whole).Draw(t, "x")
		})
		a := identity(n)
		for i := range a {
			for j := range i + 1 {
				a[i][j] = entry.Draw(t, "entry")
				a[j][i] = a[i][j]
			}
		}
		b := identity(n)
		for i := range b {
			copy(b[i], a[i])
		}
		none := &watch{tick: func(int64, int64) error { return nil }}
		got, err := reduceToTridiagonal(none, a)
		if err != nil {
			t.Fatal(err)
		}
		want := reducePlainly(b)
		compareTridiagonals(t, got, want)
		if err := got.diagonalise(none); err != nil {
			t.Fatal(err)
		}
		if err := want.diagonalisePlainly(); err != nil {
			t.Fatal(err)
		}
		compareTridiagonals(t, got, want)
	})
}

// compareTridiagonals fails unless both have the same bits, up to the sign of a 0.
func compareTridiagonals(t *rapid.T, got, want *tridiagonal) {
	same := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x+0) == math.Float64bits(y+0) })
	}
	if !same(got.diagonal, want.diagonal) || !same(got.beside, want.beside) || got.noise != want.noise {
		t.Fatalf("T has the diagonals %v and %v, want %v and %v", got.diagonal, got.beside, want.diagonal, want.beside)
	}
	for i := range want.z {
		if !same(got.z[i], want.z[i]) {
			t.Fatalf("row %d of Z is %v, want %v", i, got.z[i], want.z[i])
		}
	}
}

// TestPlainKernels compares the vectorised kernels with the plain ones, bit by bit.
func TestPlainKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 37).Draw(t, "n")
		numbers := func(name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(-1e100, 1e100), n, n).Draw(t, name)
		}
		x, y := numbers("x"), numbers("y")
		var rows [panelWidth][]float64
		for i := range rows {
			rows[i] = numbers("row")
		}
		fill := func() (p panel, four [4][]float64) {
			p = make(panel, n)
			for i := range p {
				for j := range p[i] {
					p[i][j] = rows[j][i]
				}
			}
			for i := range four {
				four[i] = slices.Clone(rows[i])
			}
			return p, four
		}
		compare := func(what string, a, b []float64) {
			if !slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				t.Fatalf("%s: %v, plain %v", what, a, b)
			}
		}
		a, fourA := fill()
		b, fourB := fill()
		var factors, sumsA, sumsB [panelWidth]float64
		for i := range factors {
			factors[i], sumsA[i] = rows[i][0], rows[i][n-1]
		}
		sumsB = sumsA
		reflectPanel(a, x, &factors, y, &sumsA)
		reflectRows(b, x, &factors, y, &sumsB)
		compare("sums", sumsA[:], sumsB[:])
		sumsB = sumsA
		addProducts(a, x, &sumsA)
		addRows(b, x, &sumsB)
		compare("sums", sumsA[:], sumsB[:])
		var chain rotations
		for row := n - 2; row >= 0; row-- {
			chain = append(chain, neighbourRotation{row, x[row] / 1e100, y[row] / 1e100})
		}
		if len(chain) > 0 {
			turnChain(a, chain)
			turnRows(b, chain)
		}
		for i := range a {
			compare("panel", a[i][:], b[i][:])
		}
		by := rowFactors{v: [4]float64(factors[:]), w: [4]float64(factors[4:]), x: [4]float64(factors[8:])}
		outA, outB := slices.Clone(rows[5]), slices.Clone(rows[5])
		updateFour(&fourA, x, y, &by, outA)
		updateRows(&fourB, x, y, &by, outB)
		compare("out", outA, outB)
		for i := range fourA {
			compare("row", fourA[i], fourB[i])
		}
	})
}
