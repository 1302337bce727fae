package report_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// manyRuns returns a store of n complete runs of one small iteration each. A large one takes minutes to
// make: PODTRACK_BENCH_STORES names a folder in which it is kept for the next time.
func manyRuns(b *testing.B, n int) *tracker.Store {
	b.Helper()
	ctx := context.Background()
	dir := b.TempDir()
	if kept := os.Getenv("PODTRACK_BENCH_STORES"); kept != "" && n > 10_000 {
		dir = kept
	}
	store := tracker.New(filepath.Join(dir, fmt.Sprintf("runs%d.db", n)), tracker.Options{})
	if _, err := os.Stat(store.Path()); err == nil {
		return store
	}
	if n > 10_000 {
		schematest.SkipUnlessLong(b)
	}
	if err := store.Create(ctx); err != nil {
		b.Fatal(err)
	}
	var jobs []replay.Job
	for seed := range n {
		spec := pod.PaperSpec()
		spec.Seed, spec.Steps, spec.Sweeps = uint64(seed), 10, 1
		spec.Env.Params["bits"] = 3
		jobs = append(jobs, replay.Job{Spec: spec, Target: 1})
	}
	w := groupcommit.Start(ctx, store)
	replay.NewEngine(store, w, replay.Options{}).RunAll(ctx, slices.Values(jobs), 2, func(_ replay.Job, o replay.Outcome) {
		if o.Err != nil {
			b.Error(o.Err)
		}
	})
	if err := w.Close(ctx); err != nil {
		b.Fatal(err)
	}
	return store
}

// look opens the store, as every command does, and reads in one transaction.
func look(b *testing.B, store *tracker.Store, read func(*tracker.Tx) error) {
	if err := tracker.New(store.Path(), tracker.Options{}).View(context.Background(), read); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSelect is what ls reads: all runs, those that a filter chooses, the newest one.
func BenchmarkSelect(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("runs=%d", n), func(b *testing.B) {
			store := manyRuns(b, n)
			for _, c := range []struct {
				name string
				args []string
				want int
			}{
				{"all", nil, n},
				{"seed", []string{"seed=3"}, 1},
				{"name", []string{"name=none"}, 0},
				{"filter", []string{fmt.Sprintf("seed=0-%d", n/10-1)}, n / 10},
				{"newest", []string{"@1"}, 1},
			} {
				b.Run(c.name, func(b *testing.B) {
					defer schematest.MeasureProcessorTime(b)()
					for b.Loop() {
						look(b, store, func(tx *tracker.Tx) error {
							runs, err := report.Select(tx, c.args)
							if err == nil && len(runs) != c.want {
								err = fmt.Errorf("%d runs, want %d", len(runs), c.want)
							}
							return err
						})
					}
				})
			}
		})
	}
}
