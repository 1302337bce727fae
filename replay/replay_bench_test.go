//go:build unix

package replay_test

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// BenchmarkReplay makes runs and replays them, in turn. It reports the median processor time that making a run takes,
// and what share of it the replay of the run takes.
func BenchmarkReplay(b *testing.B) {
	rooms, err := envs.DefaultEnv("grid")
	if err != nil {
		b.Fatal(err)
	}
	rooms.Text["map"] = "four-rooms"
	for _, w := range []struct {
		name       string
		env        schema.Env
		reading    string
		iterations int
	}{
		{"ring/as-published", pod.PaperSpec().Env, "as-published", pod.PaperIterations},
		{"ring/as-written", pod.PaperSpec().Env, "as-written", pod.PaperIterations},
		{"ring/12-iterations", pod.PaperSpec().Env, "as-published", 2 * pod.PaperIterations},
		{"four-rooms", rooms, "as-written", pod.PaperIterations},
	} {
		b.Run(w.name, func(b *testing.B) {
			var jobs []replay.Job
			for seed := range uint64(10) {
				spec := pod.NewSpec(w.env)
				if err := spec.SetReading(w.reading); err != nil {
					b.Fatal(err)
				}
				spec.Seed = seed
				jobs = append(jobs, replay.Job{Spec: spec, Target: w.iterations})
			}
			benchmarkReplay(b, jobs)
		})
	}
}

func benchmarkReplay(b *testing.B, jobs []replay.Job) {
	var made, ratios []float64
	for b.Loop() {
		store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
		run := processorTime(b, func() { runJobs(b, store, jobs, 1) })
		again := processorTime(b, func() { replayJobs(b, store, jobs) })
		made, ratios = append(made, run/float64(len(jobs))), append(ratios, again/run)
	}
	slices.Sort(made)
	slices.Sort(ratios)
	b.ReportMetric(1000*made[len(made)/2], "run-ms")
	b.ReportMetric(ratios[len(ratios)/2], "replay/run")
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

// processorTime returns the user and system time that f takes in this process, in seconds.
func processorTime(tb testing.TB, f func()) float64 {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			tb.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	f()
	return (used() - before).Seconds()
}
