package linalg_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// BenchmarkFactorFeatures factors D by its number of features, all of which change, with four
// times as many distinct rows. Run it with -benchtime 1x.
func BenchmarkFactorFeatures(b *testing.B) {
	for _, how := range []linalg.Factoring{linalg.Gram, linalg.Reduced} {
		for _, features := range []int{64, 128, 256, 512, 1024} {
			b.Run(fmt.Sprintf("%v/features=%d", how, features), func(b *testing.B) {
				benchmarkFactor(b, how, randomDifferences(4*features, features, features, 10))
			})
		}
	}
}

// BenchmarkFactorRows factors D of 256 features by its number of distinct rows.
func BenchmarkFactorRows(b *testing.B) {
	for _, how := range []linalg.Factoring{linalg.Gram, linalg.Reduced} {
		for _, rows := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%v/rows=%d", how, rows), func(b *testing.B) {
				benchmarkFactor(b, how, randomDifferences(rows, 256, 256, 10))
			})
		}
	}
}

func benchmarkFactor(b *testing.B, how linalg.Factoring, d linalg.Dataset) {
	defer schematest.MeasureProcessorTime(b)()
	for b.Loop() {
		if _, err := linalg.Factor(context.Background(), how, d); err != nil {
			b.Fatal(err)
		}
	}
}

// randomDifferences returns rows of dims features, of which the first used ones change, ones
// at a time.
func randomDifferences(rows, dims, used, ones int) linalg.Dataset {
	stream := rng.NewStream(0, 0, "test")
	d := linalg.Dataset{Dims: dims, Rows: make([]schema.SparseRow, rows), Counts: make([]int64, rows)}
	for i := range rows {
		d.Counts[i] = 1 + int64(stream.Below(9))
		row := make([]float64, dims)
		for range ones {
			row[stream.Below(used)] = float64(2*stream.Below(2) - 1)
		}
		d.Rows[i] = schema.NewSparseRow(row)
	}
	return d
}
