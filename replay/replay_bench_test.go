package replay_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkReplay makes runs and replays them, in turn. It reports the processor time of the replay, and its share of
// that of making the runs.
func BenchmarkReplay(b *testing.B) {
	rooms, err := envs.DefaultEnv("grid")
	if err != nil {
		b.Fatal(err)
	}
	rooms.Text["map"] = "four-rooms"
	for _, w := range []struct {
		name, reading string
		env           schema.Env
	}{
		{"ring/as-published", "as-published", pod.PaperSpec().Env}, {"ring/as-written", "as-written", pod.PaperSpec().Env},
		{"four-rooms", "as-written", rooms},
	} {
		for _, iterations := range []int{pod.PaperIterations, 4 * pod.PaperIterations} {
			b.Run(fmt.Sprintf("%s/iterations=%d", w.name, iterations), func(b *testing.B) {
				var jobs []replay.Job
				for seed := range uint64(10) {
					spec := pod.NewSpec(w.env)
					if err := spec.SetReading(w.reading); err != nil {
						b.Fatal(err)
					}
					spec.Seed = seed
					jobs = append(jobs, replay.Job{Spec: spec, Target: iterations})
				}
				benchmarkReplay(b, jobs)
			})
		}
	}
}

func benchmarkReplay(b *testing.B, jobs []replay.Job) {
	var made, replayed time.Duration
	for b.Loop() {
		store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
		before := schematest.ProcessorTime()
		runJobs(b, store, jobs, 1)
		between := schematest.ProcessorTime()
		replayJobs(b, store, jobs)
		made, replayed = made+between-before, replayed+schematest.ProcessorTime()-between
	}
	b.ReportMetric(replayed.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(replayed)/float64(made), "replay/run")
}

// replayJobs replays the runs of jobs, which must be identical.
func replayJobs(tb testing.TB, store *tracker.Store, jobs []replay.Job) {
	tb.Helper()
	for _, j := range jobs {
		id, err := j.ID()
		if err != nil {
			tb.Fatal(err)
		}
		var run tracker.Run
		if err := store.View(tb.Context(), func(tx *tracker.Tx) (err error) {
			run, err = tx.ReadRun(id)
			return err
		}); err != nil {
			tb.Fatal(err)
		}
		v, err := replay.Verify(tb.Context(), store, run, replay.Scope{}, replay.Options{})
		if err != nil || !v.Identical() {
			tb.Fatal(v, err)
		}
	}
}
