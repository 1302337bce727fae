package replay_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// TestRunAllSharesTransactions: jobs are checked together, and their runs are read together.
func TestRunAllSharesTransactions(t *testing.T) {
	var reads atomic.Int64
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store := replay.NewStore(tracker.New(path, tracker.Options{OnUnlock: func(write bool, _ time.Duration) {
		if !write {
			reads.Add(1)
		}
	}}))
	var jobs []replay.Job
	for seed := range uint64(64) {
		spec := pod.PaperSpec()
		spec.Seed, spec.Steps, spec.Env.Params["bits"] = seed, 20, 4
		jobs = append(jobs, replay.Job{Spec: spec, Target: 1})
	}
	ok(t, store.Tracker().Create(t.Context()))
	for range 2 { // new runs, and complete ones
		reads.Store(0)
		runs, err := store.RunAll(t.Context(), jobs, 1, replay.Options{})
		ok(t, err)
		if len(runs) != len(jobs) || runs[9].Spec.Seed != 9 {
			t.Fatalf("%d runs", len(runs))
		}
		if n := reads.Load(); n >= int64(len(jobs)) {
			t.Errorf("%d reading transactions for %d jobs", n, len(jobs))
		}
	}
}
