package diff

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// perform runs specs into a new store and opens the runs, in the same order.
func perform(t testing.TB, iterations int, specs ...schema.Spec) []*Side {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	var jobs []replay.Job
	for _, spec := range specs {
		jobs = append(jobs, replay.Job{Spec: spec, Target: iterations})
	}
	outcomes := make(chan error, len(jobs))
	replay.NewEngine(store, w, replay.Options{}).RunAll(ctx, slices.Values(jobs), 2, func(_ replay.Job, o replay.Outcome) {
		outcomes <- o.Err
	})
	ok(t, w.Close(ctx))
	for range jobs {
		ok(t, <-outcomes)
	}
	var runs []*Side
	for _, spec := range specs {
		id, err := schema.RunID(spec, nil)
		ok(t, err)
		run, err := Open(ctx, store, id.String())
		ok(t, err)
		runs = append(runs, run)
	}
	return runs
}

// reopen reads runs anew.
func reopen(t testing.TB, runs ...*Side) (again []*Side) {
	t.Helper()
	for _, r := range runs {
		records, err := recorded.Open(r.View, r.Run)
		ok(t, err)
		run, err := New(records)
		ok(t, err)
		again = append(again, run)
	}
	return again
}

// paper returns the paper's spec with a seed.
func paper(seed uint64) schema.Spec {
	s := pod.PaperSpec()
	s.Seed = seed
	return s
}

// tiny returns a spec of which an iteration takes about a millisecond.
func tiny(seed uint64) schema.Spec {
	s := paper(seed)
	s.Env.Params["bits"], s.Steps = 6, 100
	return s
}

// with returns the spec with a field changed.
func with(t testing.TB, s schema.Spec, field, value string) schema.Spec {
	t.Helper()
	ok(t, s.Set(field, value))
	return s
}

func reference(r *Side, k, j, sign int) report.Ref {
	return report.Ref{Run: r.ID.String(), K: k, J: j, Sign: sign}
}
