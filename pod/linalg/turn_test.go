package linalg

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTurn compares the vectorised rotation with the plain one, and that with [rotate], bit by bit.
func TestTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 37).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Float64Range(-1e100, 1e100), n, n)
		x, y := numbers.Draw(t, "x"), numbers.Draw(t, "y")
		c, s := rapid.Float64Range(-1, 1).Draw(t, "c"), rapid.Float64Range(-1, 1).Draw(t, "s")
		var all [3][2][]float64
		for i, how := range []func(x, y []float64, c, s float64){
			turn, turnSlices, func(x, y []float64, c, s float64) { rotate(x, y, c, s) },
		} {
			all[i] = [2][]float64{slices.Clone(x), slices.Clone(y)}
			how(all[i][0], all[i][1], c, s)
		}
		for i := range all {
			for side := range 2 {
				if !slices.EqualFunc(all[i][side], all[0][side], func(a, b float64) bool {
					return math.Float64bits(a) == math.Float64bits(b)
				}) {
					t.Fatalf("way %d gives %v, the vectorised one %v", i, all[i][side], all[0][side])
				}
			}
		}
	})
}

// TestRotations compares rotations that are done a few columns at a time with those done at once.
func TestRotations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3*panelWidth).Draw(t, "n")
		plain, late := identity(n), identity(n)
		var pending rotations
		for range rapid.IntRange(0, 200).Draw(t, "rotations") {
			r := neighbourRotation{row: rapid.IntRange(0, n-2).Draw(t, "row"),
				c: rapid.Float64Range(-1, 1).Draw(t, "c"), s: rapid.Float64Range(-1, 1).Draw(t, "s")}
			turnSlices(plain[r.row], plain[r.row+1], r.c, r.s)
			if pending = append(pending, r); rapid.IntRange(0, 20).Draw(t, "apply") == 0 {
				pending.apply(late)
			}
		}
		pending.apply(late)
		for i := range plain {
			if !slices.Equal(plain[i], late[i]) {
				t.Fatalf("row %d differs", i)
			}
		}
	})
}
