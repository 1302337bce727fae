package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bestSum returns the largest sum of min(n, m) weights in different rows and columns,
// over all ways to choose them.
func bestSum(weights [][]float64, row, left int, taken uint) float64 {
	if left == 0 {
		return 0
	}
	best := math.Inf(-1)
	if len(weights)-row > left {
		best = bestSum(weights, row+1, left, taken)
	}
	for j, w := range weights[row] {
		if taken>>j&1 == 0 {
			best = max(best, w+bestSum(weights, row+1, left-1, taken|1<<j))
		}
	}
	return best
}

// TestAssignIsOptimal against all permutations. Weights are whole numbers, so
// that sums are exact and ties are many.
func TestAssignIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "m")
		spread := rapid.SampledFrom([]int{0, 1, 3, 1000}).Draw(t, "spread")
		weights := make([][]float64, n)
		for i := range weights {
			weights[i] = rapid.SliceOfN(rapid.Map(rapid.IntRange(-spread, spread), func(x int) float64 {
				return float64(x)
			}), m, m).Draw(t, fmt.Sprint("row ", i))
		}
		sum, assigned, taken := 0.0, 0, map[int]bool{}
		columns := assign(weights, n, m)
		for i, j := range columns {
			if j < 0 {
				continue
			}
			if taken[j] {
				t.Fatalf("column %d twice in %v", j, columns)
			}
			sum, assigned, taken[j] = sum+weights[i][j], assigned+1, true
		}
		if want := bestSum(weights, 0, min(n, m), 0); len(columns) != n || assigned != min(n, m) || sum != want {
			t.Fatalf("%v assigns %d with a sum of %v, want %d of %d rows with %v", columns, assigned, sum, min(n, m), n,
				want)
		}
	})
}

// TestVisitedRows: rows whose columns are sorted, since they are visited often, get the columns that they get without
// that, whatever the ties.
func TestVisitedRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, levels := range []int{2, 10, 1 << 30} {
		weights := make([][]float64, 150)
		for i := range weights {
			weights[i] = make([]float64, 160)
			for j := range weights[i] {
				weights[i][j] = float64(random.IntN(levels)) / float64(levels) * float64(1+j%7) // columns that many want
			}
		}
		h := newHungarian(weights, 150, 160)
		sorted := h.columns()
		if !slices.ContainsFunc(h.heaviest, func(columns []int32) bool { return columns != nil }) {
			t.Errorf("%d levels: no row is visited often", levels)
		}
		h = newHungarian(weights, 150, 160)
		for row := range h.visits {
			h.visits[row] = math.MinInt
		}
		if plain := h.columns(); !slices.Equal(sorted, plain) {
			t.Errorf("%d levels: %v, want %v", levels, sorted, plain)
		}
	}
}

func TestAssignNothing(t *testing.T) {
	if got := assign(nil, 0, 3); len(got) != 0 {
		t.Errorf("no rows: %v", got)
	}
	if got := assign([][]float64{{}, {}}, 2, 0); len(got) != 2 || got[0] != -1 || got[1] != -1 {
		t.Errorf("no columns: %v", got)
	}
}

// TestAssignTies: of equal choices the lowest index wins.
func TestAssignTies(t *testing.T) {
	for _, size := range [][2]int{{3, 3}, {2, 4}, {4, 2}} {
		weights := make([][]float64, size[0])
		for i := range weights {
			weights[i] = make([]float64, size[1])
		}
		for i, j := range assign(weights, size[0], size[1]) {
			want := i
			if i >= size[1] {
				want = -1
			}
			if j != want {
				t.Errorf("%v equal weights: row %d gets %d, want %d", size, i, j, want)
			}
		}
	}
}
