package replay_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// TestRunsAreCheckedWhenClaimed: the transaction that claims a run checks its job, so that only the work opens the
// store: once for each run, and for its commits.
func TestRunsAreCheckedWhenClaimed(t *testing.T) {
	var reads, writes atomic.Int64
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{
		CommitEvery: time.Hour, Heartbeat: time.Hour,
		OnUnlock: func(write bool, _ time.Duration) {
			if write {
				writes.Add(1)
			} else {
				reads.Add(1)
			}
		},
	})
	var jobs []replay.Job
	const runs = 8
	for seed := range uint64(runs) {
		spec := smallRing()
		spec.Seed = seed
		jobs = append(jobs, replay.Job{Spec: spec, Target: 1})
	}
	runJobs(t, store, jobs, 1)
	if r, w := reads.Load(), writes.Load(); r > 1 || w > runs+2 {
		t.Errorf("%d runs opened the store %d times for reading and %d times for writing", runs, r, w)
	}
}
