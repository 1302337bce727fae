package replay_test

import (
	"context"
	"fmt"
	mathbits "math/bits"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// BenchmarkTable1 is the 120 runs of reproduce table1, everything persisted.
func BenchmarkTable1(b *testing.B) {
	const runs = 30 // of each setting
	var jobs []replay.Job
	for _, reading := range schema.Readings() {
		for _, hidden := range []int64{0, 3} {
			for seed := range uint64(runs) {
				spec := pod.PaperSpec()
				spec.Seed = seed
				spec.Env.Params["hide"] = hidden
				if err := spec.SetReading(reading); err != nil {
					b.Fatal(err)
				}
				jobs = append(jobs, replay.Job{Spec: spec, Target: pod.PaperIterations})
			}
		}
	}
	defer schematest.MeasureProcessorTime(b)()
	for b.Loop() {
		store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
		runJobs(b, store, jobs, 2)
	}
}

// BenchmarkGrowth makes a run by what it has much of: iterations of the paper's ring, each of which adds 12 options to
// the action set; iterations in nine rooms, each of which adds nearly 400; steps of an iteration; and states of a ring.
// Its time should grow like these.
func BenchmarkGrowth(b *testing.B) {
	rooms, err := envs.DefaultEnv("grid")
	if err != nil {
		b.Fatal(err)
	}
	rooms.Text["map"] = "nine-rooms"
	for _, grown := range []struct {
		name  string
		sizes []int
		set   func(job *replay.Job, size int)
	}{
		{"ring/iterations", []int{250, 500, 1000, 2000, 4000}, func(job *replay.Job, n int) { job.Target = n }},
		{"rooms/iterations", []int{4, 8, 16, 32}, func(job *replay.Job, n int) {
			job.Spec.Env, job.Spec.Steps, job.Target = rooms, 3000, n
		}},
		{"ring/steps", []int{10_000, 100_000, 1_000_000, 10_000_000}, func(job *replay.Job, n int) {
			job.Spec.Steps = int64(n)
		}},
		{"ring/states", []int{1 << 12, 1 << 15, 1 << 18, 1 << 21}, func(job *replay.Job, n int) {
			job.Spec.Env.Params["bits"] = int64(mathbits.TrailingZeros(uint(n)))
		}},
	} {
		for _, size := range grown.sizes {
			b.Run(fmt.Sprintf("%s=%d", grown.name, size), func(b *testing.B) {
				job := replay.Job{Spec: pod.PaperSpec(), Target: 2}
				grown.set(&job, size)
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					store := tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{})
					runJobs(b, store, []replay.Job{job}, 1)
				}
			})
		}
	}
}

// BenchmarkSteps reads the 100,000 recorded steps of an iteration with options: on the paper's ring, whose states
// follow from the actions, and in rooms that slip, whose states are recorded.
func BenchmarkSteps(b *testing.B) {
	const steps = 100_000
	rooms, err := envs.DefaultEnv("grid")
	if err != nil {
		b.Fatal(err)
	}
	rooms.Text["map"], rooms.Params["slip"] = "four-rooms", 200
	for _, env := range []schema.Env{pod.PaperSpec().Env, rooms} {
		b.Run(env.Name, func(b *testing.B) {
			store := replay.NewStore(tracker.New(filepath.Join(b.TempDir(), "podtrack.db"), tracker.Options{}))
			spec := pod.NewSpec(env)
			spec.Steps = steps
			runJobs(b, store.Tracker(), []replay.Job{{Spec: spec, Target: 2}}, 1)
			defer schematest.MeasureProcessorTime(b)()
			for b.Loop() {
				run, err := store.Find(b.Context(), "@1")
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for _, err := range run.Steps(b.Context(), 1) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != steps {
					b.Fatal(n, "steps")
				}
			}
		})
	}
}

// runJobs executes jobs and returns their outcomes, all of them committed.
func runJobs(tb testing.TB, store *tracker.Store, jobs []replay.Job, parallel int) []replay.Outcome {
	tb.Helper()
	ctx := context.Background()
	if err := store.Create(ctx); err != nil {
		tb.Fatal(err)
	}
	w := groupcommit.Start(ctx, store)
	outcomes := make(chan replay.Outcome, len(jobs))
	replay.NewEngine(store, w, replay.Options{}).RunAll(ctx, slices.Values(jobs), parallel,
		func(_ replay.Job, o replay.Outcome) {
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
