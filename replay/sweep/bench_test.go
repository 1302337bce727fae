package sweep

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// benchmarkPlan returns many seeds of a small ring, each of which takes a few
// milliseconds.
func benchmarkPlan(b *testing.B, seeds int) *Plan {
	b.Helper()
	spec := pod.PaperSpec()
	for field, value := range map[string]string{"bits": "8", "steps": "500"} {
		if err := spec.Set(field, value); err != nil {
			b.Fatal(err)
		}
	}
	list, err := schema.ParseSeeds(fmt.Sprintf("0-%d", seeds-1))
	if err != nil {
		b.Fatal(err)
	}
	return &Plan{Plan: schema.Plan{Specs: []schema.Spec{spec}, Seeds: list, Iterations: 4}}
}

// BenchmarkSweep makes runs together, and one after the other each with a writer of
// its own: runs/s of a core.
func BenchmarkSweep(b *testing.B) {
	const seeds = 200
	p := benchmarkPlan(b, seeds)
	all := make([]int, seeds)
	for i := range all {
		all[i] = i
	}
	for _, bench := range []struct {
		name     string
		parallel int
		together bool
	}{
		{"alone", 1, false},
		{"one core", 1, true},
		{"all cores", runtime.GOMAXPROCS(0), true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n++
				store := tracker.New(filepath.Join(b.TempDir(), fmt.Sprint(n)), tracker.Options{})
				if err := store.Create(b.Context()); err != nil {
					b.Fatal(err)
				}
				work := Executor{
					Plan: p, Store: store, Parallel: bench.parallel,
					Close: func(w *tracker.Writer) error { return w.Close(context.Background()) },
				}
				step := 1
				if bench.together {
					step = seeds
				}
				for from := 0; from < seeds; from += step {
					r, err := work.Execute(b.Context(), all[from:from+step])
					if err != nil || r.Complete != step {
						b.Fatal(r, err)
					}
				}
			}
			b.ReportMetric(float64(seeds*n)/b.Elapsed().Seconds()/float64(bench.parallel), "runs/s/core")
		})
	}
}
