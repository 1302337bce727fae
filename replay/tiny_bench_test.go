package replay_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkTinyRuns makes runs of one short iteration in a small ring, whose time is that of the store.
func BenchmarkTinyRuns(b *testing.B) {
	for _, runs := range []int{500, 2000, 8000} {
		var jobs []replay.Job
		for seed := range uint64(runs) {
			spec := pod.PaperSpec()
			spec.Seed, spec.Steps, spec.Env.Params["bits"] = seed, 20, 4
			jobs = append(jobs, replay.Job{Spec: spec, Target: 1})
		}
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			defer schematest.MeasureProcessorTime(b)()
			for b.Loop() {
				store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
				runJobs(b, store, jobs, 2)
			}
		})
	}
}
