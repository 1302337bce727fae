package diff

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// BenchmarkOptions compares two runs in nine rooms, and traces the lineages of one, by their number of iterations, each
// of which adds nearly 400 options. The time for 1000 options should stay the same. Run it with -benchtime 1x.
func BenchmarkOptions(b *testing.B) {
	for _, iterations := range []int{4, 8, 16, 32} {
		runs := perform(b, iterations, rooms(b, "nine-rooms", 0), rooms(b, "nine-rooms", 1))
		options := 0
		for _, it := range runs[0].Iterations {
			options += len(it.RecordsOf(schema.KindOption))
		}
		for name, work := range map[string]func(a, b *Side) error{
			"diff": func(x, y *Side) error {
				_, err := CompareRuns(b.Context(), x, y, Limits{})
				return err
			},
			"lineages": func(x, _ *Side) error {
				_, err := x.Lineages(b.Context(), Limits{})
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s/options=%d", name, options), func(b *testing.B) {
				for b.Loop() {
					chanceLevels.Clear() // which later rounds would find
					fresh := reopen(b, runs...)
					ok(b, work(fresh[0], fresh[1]))
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*options), "ms/1000options")
			})
		}
	}
}

// BenchmarkGroup compares runs in four rooms, whose iterations add about 200 options each, and two in nine rooms, with
// some 370 each. Run it with -benchtime 1x, and with -cpu 1 for processor time.
func BenchmarkGroup(b *testing.B) {
	for _, c := range []struct {
		grid              string
		seeds, iterations int
	}{
		{"four-rooms", 2, 1}, {"four-rooms", 2, 3}, {"four-rooms", 5, 3}, {"four-rooms", 10, 1}, {"four-rooms", 10, 3},
		{"nine-rooms", 2, 4},
	} {
		specs := make([]schema.Spec, c.seeds)
		for seed := range specs {
			specs[seed] = rooms(b, c.grid, uint64(seed))
		}
		runs := perform(b, c.iterations, specs...)
		for _, by := range []Kind{Purposes, Options} {
			b.Run(fmt.Sprintf("grid=%s/seeds=%d/iterations=%d/by=%s", c.grid, c.seeds, c.iterations, by), func(b *testing.B) {
				var g Clustering
				for b.Loop() {
					var err error
					g, err = ClusterRuns(b.Context(), reopen(b, runs...), GroupOptions{By: by})
					ok(b, err)
				}
				b.ReportMetric(float64(g.Directions), "directions")
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
