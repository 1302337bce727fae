package why

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/pod"
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

func benchmark(b *testing.B, spec schema.Spec, target int) {
	store := newStore(b)
	performedIn(b, store, spec, target)
	b.ReportAllocs()
	for b.Loop() {
		explainFrom(b, store, target-1)
	}
}

func explainFrom(b *testing.B, store *tracker.Store, k int) {
	run, err := diff.Open(context.Background(), tracker.New(store.Path(), tracker.Options{}), "@1")
	ok(b, err)
	r, err := Explain(context.Background(), run, Question{Ref: report.Ref{K: k, J: 3, Sign: 1}, Depth: -1})
	ok(b, err)
	if !r.Verified() {
		b.Fatal("the chain does not hold")
	}
}
