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
		runs := perform(b, iterations, nineRooms(b, 0), nineRooms(b, 1))
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

// nineRooms returns a spec with a feature for each of 237 states.
func nineRooms(b *testing.B, seed uint64) schema.Spec {
	spec := paper(seed)
	var err error
	spec.Env, err = envs.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[envs.MapParameter], spec.Steps, spec.Numerics = "nine-rooms", 3000, schema.NumericsVersion
	return spec
}
