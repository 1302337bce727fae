package why

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// pathFactors returns the factors of the steps along a path of n states, both ways, among so many features, and the
// purposes of all directions with σ > 0.
func pathFactors(t testing.TB, n, dims int) (schema.Factors, []schema.Purpose) {
	t.Helper()
	var rows []linalg.CountedRow
	for s := range n - 1 {
		rows = append(rows, linalg.CountedRow{Row: envs.UnitDifference(int32(s), int32(s+1)), Count: 2})
	}
	f, err := linalg.Factor(t.Context(), linalg.Gram, linalg.NewDataset(dims, rows))
	ok(t, err)
	var purposes []schema.Purpose
	for j, s := range f.Sigma {
		if s > 0 {
			purposes = append(purposes, schema.Purpose{J: j + 1, Sign: 1}, schema.Purpose{J: j + 1, Sign: -1})
		}
	}
	return f, purposes
}

// TestChangedDirection: a direction that was changed is orthogonal to the others no more.
func TestChangedDirection(t *testing.T) {
	const n, dims = 10, 100
	f, purposes := pathFactors(t, n, dims)
	holds, err := certify(t.Context(), f, f.Rows, purposes)
	if ok(t, err); !holds {
		t.Error("the factors of a path do not hold")
	}
	f.V[3*dims] += 1e-6
	if holds, err = areOrthogonal(t.Context(), f, purposes); holds || err != nil {
		t.Errorf("a direction that was changed is orthogonal to the others (%v)", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := certify(ctx, f, f.Rows, purposes); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAreOrthogonal compares the verdict with that of all products, one by one.
func TestAreOrthogonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 6).Draw(t, "features"), rapid.IntRange(1, 6).Draw(t, "directions")
		entry := rapid.SampledFrom([]float64{0, 0, 0, 0, 1, -1, 1e-12})
		f := schema.Factors{Dims: n, Sigma: make([]float64, k), V: rapid.SliceOfN(entry, n*k, n*k).Draw(t, "V")}
		var purposes []schema.Purpose
		want := true
		for j := range k {
			if !rapid.Bool().Draw(t, "selected") {
				continue
			}
			purposes = append(purposes, schema.Purpose{J: j + 1, Sign: 1})
			for other := range k {
				product := 0.0
				for i := range n {
					product += f.V[i*k+j] * f.V[i*k+other]
				}
				want = want && (other == j || math.Abs(product) <= certifyTolerance)
			}
		}
		if got, err := areOrthogonal(context.Background(), f, purposes); err != nil || got != want {
			t.Fatalf("%v (%v), want %v", got, err, want)
		}
	})
}
