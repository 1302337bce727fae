package linalg_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

func drawRows(t *rapid.T, dims int, label string) [][]float64 {
	x := rapid.SampledFrom([]float64{-1, 0, 1, 0.5})
	return rapid.SliceOfN(rapid.SliceOfN(x, dims, dims), 0, 40).Draw(t, label)
}

func copied(d linalg.Dataset) linalg.Dataset {
	return linalg.Dataset{Dims: d.Dims, Rows: slices.Clone(d.Rows), Counts: slices.Clone(d.Counts)}
}

// TestDatasetMerge: joined datasets are the dataset of all their rows, and stay as they
// are.
func TestDatasetMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 4).Draw(t, "dims")
		a, b := drawRows(t, dims, "a"), drawRows(t, dims, "b")
		d, e := podtest.Counted(dims, a), podtest.Counted(dims, b)
		beforeD, beforeE := copied(d), copied(e)
		want := podtest.Counted(dims, slices.Concat(a, b))
		for _, got := range []linalg.Dataset{d.Merge(e), e.Merge(d)} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("joined (-want +got):\n%s", diff)
			}
		}
		if diff := cmp.Diff([]linalg.Dataset{beforeD, beforeE}, []linalg.Dataset{d, e}); diff != "" {
			t.Fatalf("what was joined changed (-before +after):\n%s", diff)
		}
	})
}

// TestCumulative: the factors of a D that is kept, which go from iteration to
// iteration as factors, are those of all transitions so far.
func TestCumulative(t *testing.T) {
	const bits, steps = 8, 200
	var all [][]float64
	kept := linalg.Dataset{Dims: bits}
	for k := range uint64(5) {
		rows := podtest.Walked(k, bits, 0, steps)
		all = append(all, rows...)
		kept = kept.Merge(podtest.Counted(bits, rows))
		got, err := linalg.Factor(context.Background(), linalg.Reduced, kept)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(factoredBy(t, linalg.Reduced, bits, all), got); diff != "" {
			t.Errorf("after %d iterations (-want +got):\n%s", k+1, diff)
		}
		kept = linalg.DatasetFromFactors(got)
		if diff := cmp.Diff(podtest.Counted(bits, all), kept); diff != "" {
			t.Errorf("dataset of the factors (-want +got):\n%s", diff)
		}
	}
}
