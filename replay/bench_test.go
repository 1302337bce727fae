package replay_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkTable1 is the 120 runs of reproduce table1, everything persisted.
func BenchmarkTable1(b *testing.B) {
	specs, err := table1.AllSpecs(table1.PaperRuns)
	if err != nil {
		b.Fatal(err)
	}
	var jobs []replay.Job
	for _, s := range specs {
		jobs = append(jobs, replay.Job{Spec: s, Target: table1.Columns})
	}
	for b.Loop() {
		store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
		runJobs(b, store, jobs, 2)
	}
}

// runJobs executes jobs and returns their outcomes, all of them committed.
func runJobs(tb testing.TB, store *tracker.Store, jobs []replay.Job, parallel int) []replay.Outcome {
	tb.Helper()
	ctx := context.Background()
	if err := store.Create(ctx); err != nil {
		tb.Fatal(err)
	}
	w := store.StartWriter(ctx)
	outcomes := make(chan replay.Outcome, len(jobs))
	replay.NewEngine(store, w, replay.Options{}).RunAll(ctx, slices.Values(jobs), parallel, func(_ replay.Job, o replay.Outcome) {
		outcomes <- o
	})
	if err := w.Close(ctx); err != nil {
		tb.Fatal(err)
	}
	close(outcomes)
	var all []replay.Outcome
	for o := range outcomes {
		if o.Err != nil {
			tb.Fatal(o.Err)
		}
		all = append(all, o)
	}
	return all
}
