package replay_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// eachReading runs a benchmark for the paper's spec under each reading.
func eachReading(b *testing.B, measure func(*testing.B, schema.Spec)) {
	for _, reading := range schema.Readings() {
		b.Run(reading, func(b *testing.B) {
			spec := pod.PaperSpec()
			if err := spec.SetReading(reading); err != nil {
				b.Fatal(err)
			}
			measure(b, spec)
		})
	}
}

// BenchmarkRun is one run of the paper into a store of its own, from its creation
// to the last commit.
func BenchmarkRun(b *testing.B) {
	eachReading(b, func(b *testing.B, spec schema.Spec) {
		for b.Loop() {
			runJobs(b, newStore(b, tracker.Options{}), []replay.Job{{Spec: spec, Target: pod.PaperIterations}}, 1)
		}
	})
}

// BenchmarkRunLarge is one iteration of 2¹⁶ states and 10⁵ steps.
func BenchmarkRunLarge(b *testing.B) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"] = 16
	spec.Steps = 100_000
	for b.Loop() {
		runJobs(b, newStore(b, tracker.Options{}), []replay.Job{{Spec: spec, Target: 1}}, 1)
	}
}

// recordedRun returns a run of the paper that is complete.
func recordedRun(b *testing.B, spec schema.Spec) (*tracker.Store, tracker.Run) {
	b.Helper()
	store := newStore(b, tracker.Options{})
	out := runJobs(b, store, []replay.Job{{Spec: spec, Target: pod.PaperIterations}}, 1)
	var run tracker.Run
	err := store.View(context.Background(), func(tx *tracker.Tx) (err error) {
		run, err = tx.ReadRun(out[0].Run)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return store, run
}

// BenchmarkComplete asks for a run that is complete: it reads what is there.
func BenchmarkComplete(b *testing.B) {
	eachReading(b, func(b *testing.B, spec schema.Spec) {
		store, _ := recordedRun(b, spec)
		for b.Loop() {
			runJobs(b, store, []replay.Job{{Spec: spec, Target: pod.PaperIterations}}, 1)
		}
	})
}

// BenchmarkReplay executes all iterations of a run again, and its last one alone,
// which takes the options of the others from the store.
func BenchmarkReplay(b *testing.B) {
	for name, scope := range map[string]replay.Scope{"all": {}, "last": {Iteration: new(pod.PaperIterations - 1)}} {
		b.Run(name, func(b *testing.B) {
			eachReading(b, func(b *testing.B, spec schema.Spec) {
				store, run := recordedRun(b, spec)
				for b.Loop() {
					j, err := replay.Verify(context.Background(), store, run, scope, replay.Options{})
					if err != nil || j.First != nil {
						b.Fatal(err, j.First)
					}
				}
			})
		})
	}
}
