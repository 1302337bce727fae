package why

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkWhy audits an option of the last iteration of a paper run, from the
// opening of the store on.
func BenchmarkWhy(b *testing.B) {
	for _, reading := range schema.Readings() {
		b.Run(reading, func(b *testing.B) {
			spec := pod.PaperSpec()
			ok(b, spec.SetReading(reading))
			benchmark(b, spec, pod.PaperIterations)
		})
	}
}

// BenchmarkWhyMany does so where the run is ten times as long in iterations.
func BenchmarkWhyMany(b *testing.B) {
	for _, reading := range schema.Readings() {
		b.Run(reading, func(b *testing.B) {
			spec := pod.PaperSpec()
			ok(b, spec.SetReading(reading))
			benchmark(b, spec, 10*pod.PaperIterations)
		})
	}
}

// BenchmarkWhyLong does so where the iterations are long in steps: the time may
// grow as they do, and no faster.
func BenchmarkWhyLong(b *testing.B) {
	for name, steps := range map[string]int64{"steps=1e5": 100_000, "steps=1e6": 1_000_000} {
		b.Run(name, func(b *testing.B) {
			spec := pod.PaperSpec()
			spec.Steps = steps
			benchmark(b, spec, 3)
		})
	}
}

// BenchmarkWhyStates does so where purposes have a feature for each of 237 states, so that factoring
// again takes most of what is computed: the first stage and the whole.
func BenchmarkWhyStates(b *testing.B) {
	spec := pod.PaperSpec()
	var err error
	spec.Env, err = pod.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[pod.MapParameter], spec.Steps = "nine-rooms", 3000
	store := newStore(b)
	run := performedIn(b, store, spec, 4)
	for name, last := range map[string]Stage{"first": StagePurpose, "whole": StageChain} {
		b.Run(name, func(b *testing.B) {
			errDone := errors.New("done")
			for b.Loop() {
				run = opened(b, store)
				q := Question{Ref: report.Ref{K: 3, J: 1, Sign: 1}}
				_, err := ExplainInStages(b.Context(), run, q, func(s Stage, _ *Report) error {
					if s == last {
						return errDone
					}
					return nil
				})
				if !errors.Is(err, errDone) {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEffects finds what an early option of such a run caused, and traces its lineages.
func BenchmarkEffects(b *testing.B) {
	spec := pod.PaperSpec()
	var err error
	spec.Env, err = pod.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[pod.MapParameter], spec.Steps = "nine-rooms", 3000
	store := newStore(b)
	performedIn(b, store, spec, 4)
	b.Run("forward", func(b *testing.B) {
		for b.Loop() {
			_, err := FindEffects(b.Context(), opened(b, store), report.Ref{J: 56, Sign: -1}, func(int, int) {})
			ok(b, err)
		}
	})
	b.Run("lineages", func(b *testing.B) {
		for b.Loop() {
			run, err := diff.New(opened(b, store))
			ok(b, err)
			_, err = run.Lineages(b.Context(), diff.Limits{})
			ok(b, err)
		}
	})
}

// BenchmarkOptions audits an option of the last iteration of runs in nine rooms, and finds what one of the first
// caused, by the number of iterations, each of which adds nearly 400 options. The time for 1000 options should stay the
// same or fall. Run it with -benchtime 1x.
func BenchmarkOptions(b *testing.B) {
	spec := pod.PaperSpec()
	var err error
	spec.Env, err = pod.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[pod.MapParameter], spec.Steps, spec.Numerics = "nine-rooms", 3000, schema.NumericsVersion
	for _, iterations := range []int{4, 8, 16, 32} {
		store := newStore(b)
		run := performedIn(b, store, spec, iterations)
		options := replay.FirstNumbers(run.Iterations)[iterations]
		for _, of := range []struct {
			name string
			find func(*replay.Records) error
		}{
			{"why", func(run *replay.Records) error {
				_, err := Explain(b.Context(), run, Question{Ref: report.Ref{K: iterations - 1, J: 1, Sign: 1}})
				return err
			}},
			{"forward", func(run *replay.Records) error {
				_, err := FindEffects(b.Context(), run, report.Ref{J: 1, Sign: 1}, func(int, int) {})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/options=%d", of.name, options), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ok(b, of.find(opened(b, store)))
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*options), "ms/1000options")
			})
		}
	}
}

func benchmark(b *testing.B, spec schema.Spec, target int) {
	store := newStore(b)
	performedIn(b, store, spec, target)
	b.ReportAllocs()
	for b.Loop() {
		explainFrom(b, store, target-1)
	}
}

func explainFrom(b *testing.B, store *tracker.Store, k int) {
	run, err := report.Open(context.Background(), tracker.New(store.Path(), tracker.Options{}), "@1")
	ok(b, err)
	r, err := Explain(context.Background(), run, Question{Ref: report.Ref{K: k, J: 3, Sign: 1}})
	ok(b, err)
	if !r.Verified() {
		b.Fatal("the chain does not hold")
	}
}
