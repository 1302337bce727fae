package why

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// BenchmarkOptions audits an option of the last iteration of runs in nine rooms, and finds what one of the first
// caused, by the number of iterations, each of which adds nearly 400 options.
func BenchmarkOptions(b *testing.B) {
	spec := pod.PaperSpec()
	var err error
	spec.Env, err = envs.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[envs.MapParameter], spec.Steps, spec.Numerics = "nine-rooms", 3000, schema.NumericsVersion
	for _, iterations := range []int{4, 8, 16, 32} {
		store := newStore(b)
		run := performedIn(b, store, spec, iterations)
		options := recorded.FirstNumbers(run.Iterations)[iterations]
		for _, of := range []struct {
			name string
			find func(*recorded.Records) error
		}{
			{"why", func(run *recorded.Records) error {
				_, err := Explain(b.Context(), run, Question{Ref: report.Ref{K: iterations - 1, J: 1, Sign: 1}})
				return err
			}},
			{"forward", func(run *recorded.Records) error {
				_, err := FindEffects(b.Context(), run, report.Ref{J: 1, Sign: 1}, func(int, int) {})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/options=%d", of.name, options), func(b *testing.B) {
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					ok(b, of.find(opened(b, store)))
				}
			})
		}
	}
}
