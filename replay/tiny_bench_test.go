package replay_test

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkTinyRuns is 2000 runs of one short iteration in a small ring, whose time is that of the store.
func BenchmarkTinyRuns(b *testing.B) {
	const runs = 2000
	var jobs []replay.Job
	for seed := range uint64(runs) {
		spec := pod.PaperSpec()
		spec.Seed, spec.Steps, spec.Env.Params["bits"] = seed, 20, 4
		jobs = append(jobs, replay.Job{Spec: spec, Target: 1})
	}
	for b.Loop() {
		store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
		runJobs(b, store, jobs, 2)
	}
	b.ReportMetric(1000*b.Elapsed().Seconds()/float64(b.N*runs), "ms/run")
}
