package diff

import (
	"fmt"
	"strings"
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

// BenchmarkLargeGrids compares two runs of 20,000 steps in an open grid of 50 × 50 cells, each with some 4,000 options.
// Run it with -benchtime 1x, and with -cpu 1 for processor time.
func BenchmarkLargeGrids(b *testing.B) {
	const side = 50
	cells := []byte(strings.Repeat(strings.Repeat(".", side)+"\n", side))
	cells[0] = 'S'
	specs := []schema.Spec{rooms(b, "open", 0), rooms(b, "open", 1)}
	for i := range specs {
		specs[i].Env.Text[envs.MapParameter], specs[i].Steps = fmt.Sprintf("%d,%d\n%s", side, side, cells), 20_000
	}
	runs := perform(b, 1, specs...)
	b.Run("diff", func(b *testing.B) {
		for b.Loop() {
			fresh := reopen(b, runs...)
			_, err := CompareRuns(b.Context(), fresh[0], fresh[1], Limits{})
			ok(b, err)
		}
	})
	b.Run("group", func(b *testing.B) {
		for b.Loop() {
			_, err := ClusterRuns(b.Context(), reopen(b, runs...), GroupOptions{})
			ok(b, err)
		}
	})
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
