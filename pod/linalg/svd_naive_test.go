package linalg

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveSVD is one-sided Jacobi as the package comment states it, pair by pair, with nothing
// kept from one to the next.
func naiveSVD(a [][]float64) (sigma []float64, v [][]float64, ok bool) {
	v = identity(len(a))
	for range maxJacobiSweeps {
		deflateNaively(a)
		rotated := false
		for p := range a {
			for q := p + 1; q < len(a); q++ {
				if c, s, ok := naiveRotation(a[p], a[q], len(a)); ok {
					rotateNaively(a[p], a[q], c, s)
					rotateNaively(v[p], v[q], c, s)
					rotated = true
				}
			}
		}
		if !rotated {
			sigma, v = sortNaively(a, v)
			return sigma, v, true
		}
	}
	return nil, nil, false
}

func deflateNaively(a [][]float64) {
	largest := 0.0
	for _, col := range a {
		largest = max(largest, Norm(col))
	}
	for _, col := range a {
		if Norm(col) <= float64(4*float64(len(a))*Epsilon)*largest {
			clear(col)
		}
	}
}

func naiveRotation(x, y []float64, dims int) (c, s float64, ok bool) {
	alpha, beta, gamma := Dot(x, x), Dot(y, y), Dot(x, y)
	slack := float64(4*float64(dims)) + math.Sqrt(float64(len(x)))
	if math.Abs(gamma) <= float64(slack*Epsilon)*float64(math.Sqrt(alpha)*math.Sqrt(beta)) {
		return 0, 0, false
	}
	zeta := (beta - alpha) / float64(2*gamma)
	t := 1 / (math.Abs(zeta) + math.Sqrt(1+float64(zeta*zeta)))
	if zeta < 0 {
		t = -t
	}
	c = 1 / math.Sqrt(1+float64(t*t))
	return c, float64(c * t), true
}

func rotateNaively(x, y []float64, c, s float64) {
	for i, xi := range x {
		yi := y[i]
		x[i] = float64(c*xi) - float64(s*yi)
		y[i] = float64(s*xi) + float64(c*yi)
	}
}

func sortNaively(a, v [][]float64) (sigma []float64, sorted [][]float64) {
	order := make([]int, len(a))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case Norm(a[x]) > Norm(a[y]):
			return -1
		case Norm(a[x]) < Norm(a[y]):
			return 1
		}
		return 0
	})
	for _, i := range order {
		fixSign(v[i], 1)
		sigma, sorted = append(sigma, Norm(a[i])), append(sorted, v[i])
	}
	return sigma, sorted
}

// TestSVDIsTheNaiveOne compares every bit. Columns can be zero, equal, combinations of
// others but for rounding, or so small that their squares vanish.
func TestSVDIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, dims := rapid.IntRange(1, 12).Draw(t, "rows"), rapid.IntRange(0, 14).Draw(t, "dims")
		entry := rapid.OneOf(rapid.SampledFrom([]float64{0, 0, 0, 1, -1}), rapid.Float64Range(-1, 1))
		var a [][]float64
		for j := range dims {
			column := make([]float64, rows)
			switch rapid.IntRange(0, 4).Draw(t, "column") {
			case 0: // zero
			case 1:
				scale := math.Ldexp(1, -rapid.IntRange(0, 600).Draw(t, "scale"))
				for i := range column {
					column[i] = float64(entry.Draw(t, "entry") * scale)
				}
			case 2:
				for i := range column {
					if j > 1 {
						column[i] = float64(0.3*a[j-1][i]) + a[j-2][i]
					}
				}
			default:
				for i := range column {
					column[i] = entry.Draw(t, "entry")
				}
			}
			a = append(a, column)
		}
		compareWithNaive(t, a)
	})
}

func compareWithNaive(t rapid.TB, a [][]float64) {
	t.Helper()
	var b [][]float64
	for _, column := range a {
		b = append(b, slices.Clone(column))
	}
	wantSigma, wantV, ok := naiveSVD(b)
	sigma, v, err := svdOf(a)
	if ok != (err == nil) {
		t.Fatalf("error %v; the naive one converges: %t", err, ok)
	}
	if !equalBits(sigma, wantSigma) || !slices.EqualFunc(v, wantV, equalBits) {
		t.Fatalf("σ %v, V %v; want %v, %v", sigma, v, wantSigma, wantV)
	}
}

func equalBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}
