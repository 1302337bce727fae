package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkRetention makes runs of the paper's ring that keep everything, transitions, or digests and measures alone.
// It reports the bytes of the file for each run, which should not depend on the number of runs.
func BenchmarkRetention(b *testing.B) {
	for _, c := range []struct {
		name string
		keep *tracker.Retention
	}{
		{"all", nil},
		{"transitions", &tracker.Retention{Kinds: []schema.Kind{schema.KindTransitions}}},
		{"none", &tracker.Retention{}},
	} {
		for _, runs := range []int{200, 400, 800} {
			b.Run(fmt.Sprintf("keep=%s/runs=%d", c.name, runs), func(b *testing.B) {
				var jobs []replay.Job
				for seed := range uint64(runs) {
					spec := pod.PaperSpec()
					spec.Seed = seed
					jobs = append(jobs, replay.Job{Spec: spec, Target: pod.PaperIterations, Keep: c.keep})
				}
				var size int64
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
					runJobs(b, store, jobs, 2)
					info, err := os.Stat(store.Path())
					if err != nil {
						b.Fatal(err)
					}
					size += info.Size()
				}
				b.ReportMetric(float64(size)/float64(b.N*runs)/1000, "KB/run")
			})
		}
	}
}
