package replay_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// manyFeatures is a job whose factor stage takes some tens of milliseconds: one feature for each of the cells of 16
// rooms, most of which it sees.
func manyFeatures(t *testing.T) replay.Job {
	t.Helper()
	spec := pod.PaperSpec()
	env, err := envs.DefaultEnv("maze")
	ok(t, err)
	env.Text["kind"], env.Params["size"] = "rooms", 12
	spec.Env, spec.Steps, spec.Kappa = env, 100_000, 150
	return replay.Job{Spec: spec, Target: 1}
}

// stopInFactor runs a job up to the n-th event of its factor stage, and reports whether the stage has that many.
func stopInFactor(t *testing.T, store *tracker.Store, job replay.Job, n int) (replay.Outcome, []int64, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ok(t, store.Create(ctx))
	var done []int64
	w := groupcommit.Start(ctx, store)
	engine := replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
		if e.Stage != stages.Factor {
			return
		}
		if done = append(done, e.Done); len(done) == n {
			cancel()
		}
	}})
	var out replay.Outcome
	engine.Run(ctx, job, func(o replay.Outcome) { out = o })
	ok(t, w.Close(context.Background()))
	return out, done, out.Err != nil
}

// TestFactoringGoesOn stops a run within its factor stage again and again. Once the state of the
// decomposition is in the checkpoint it goes on from there, and the head is the same.
func TestFactoringGoesOn(t *testing.T) {
	job := manyFeatures(t)
	want := runJobs(t, newStore(t, tracker.Options{}), []replay.Job{job}, 1)[0].Head
	store := newStore(t, tracker.Options{})
	furthest, resumed := int64(0), 0
	for n := 4; ; {
		out, done, stopped := stopInFactor(t, store, job, n)
		if !stopped {
			if out.Err != nil || out.Head != want {
				t.Errorf("head %s (%v), undisturbed %s", out.Head, out.Err, want)
			}
			break
		}
		if !slices.IsSorted(done) {
			t.Fatalf("the work done is %v", done)
		}
		if has := hasDecomposition(t, store, out.Run); !has {
			n += 4 // nothing to go on from yet
			continue
		}
		if last := done[len(done)-1]; last > furthest {
			furthest = last
			resumed++
		}
		n = 4 + resumed // the last steps are not saved, so a few more have to fit
	}
	if resumed < 3 {
		t.Errorf("the factor stage went on %d times", resumed)
	}
}

// hasDecomposition reports whether the checkpoint of a run holds the state of a decomposition.
func hasDecomposition(t *testing.T, store *tracker.Store, run schema.Digest) (has bool) {
	t.Helper()
	view(t, store, func(tx *tracker.Tx) error {
		c, err := tx.ReadCheckpoint(run)
		has = err == nil && c != nil && bytes.Contains(c.State, []byte("decomposition"))
		return err
	})
	return has
}
