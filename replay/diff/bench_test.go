package diff

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// BenchmarkOptions compares two runs in nine rooms, by their number of iterations, each of which adds nearly 400
// options.
func BenchmarkOptions(b *testing.B) {
	for _, iterations := range []int{4, 8, 16, 32} {
		runs := perform(b, iterations, rooms(b, "nine-rooms", 0), rooms(b, "nine-rooms", 1))
		options := 0
		for _, it := range runs[0].Iterations {
			options += len(it.RecordsOf(schema.KindOption))
		}
		b.Run(fmt.Sprintf("options=%d", options), func(b *testing.B) {
			defer schematest.MeasureProcessorTime(b)()
			for b.Loop() {
				chanceLevels.Clear() // which later rounds would find
				fresh := reopen(b, runs...)
				_, err := CompareRuns(b.Context(), fresh[0], fresh[1], Limits{})
				ok(b, err)
			}
		})
	}
}

// BenchmarkGroup compares runs in four rooms, whose iterations add about 200 options each.
func BenchmarkGroup(b *testing.B) {
	for _, seeds := range []int{2, 5, 10} {
		specs := make([]schema.Spec, seeds)
		for seed := range specs {
			specs[seed] = rooms(b, "four-rooms", uint64(seed))
		}
		runs := perform(b, 3, specs...)
		for _, by := range []Kind{Purposes, Options} {
			b.Run(fmt.Sprintf("by=%s/seeds=%d", by, seeds), func(b *testing.B) {
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					_, err := clusterSides(b.Context(), reopen(b, runs...), GroupOptions{By: by})
					ok(b, err)
				}
			})
		}
	}
}

// rooms returns a spec with a feature for each state of a grid: 104 of four rooms, 237 of nine rooms.
func rooms(b *testing.B, grid string, seed uint64) schema.Spec {
	spec := paper(seed)
	var err error
	spec.Env, err = envs.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[envs.MapParameter], spec.Steps, spec.Numerics = grid, 3000, schema.NumericsVersion
	return spec
}
