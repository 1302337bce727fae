package replay_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// rewarded is an environment with a reward, which follows from the cell.
var rewarded = elsewhere{cells: 30, clocks: 1, rewards: true}

// rewardedRun runs two iterations in an environment with a reward.
func rewardedRun(t *testing.T) (*tracker.Store, tracker.Run) {
	t.Helper()
	store := newStore(t, tracker.Options{})
	o, _ := runStopped(t, rewarded, store, replay.Job{Spec: rewarded.spec(schema.Empirical), Target: 2}, 0)
	ok(t, o.Err)
	return store, runOf(t, store, o.Run)
}

// TestRewardsRecorded: what is recorded are the rewards that the environment gives for the recorded
// actions, beside the transitions, and only stores of format 9 have them.
func TestRewardsRecorded(t *testing.T) {
	store, run := rewardedRun(t)
	for k, it := range iterationsOf(t, store, run.ID) {
		var kinds []schema.Kind
		for _, e := range it.Records[:4] {
			kinds = append(kinds, e.Kind)
		}
		if want := []schema.Kind{schema.KindObservations, schema.KindTransitions, schema.KindRewards,
			schema.KindFactors}; !slices.Equal(kinds, want) {
			t.Errorf("iteration %d has records of %v, want %v", k, kinds, want)
		}
		var walk schema.Transitions
		var want schema.Rewards
		view(t, store, func(tx *tracker.Tx) (err error) {
			if walk, err = tracker.LoadOnly(tx, it, schema.KindTransitions, schema.DecodeTransitions); err == nil {
				want, err = tracker.LoadOnly(tx, it, schema.KindRewards, schema.DecodeRewards)
			}
			return err
		})
		env, err := envs.NewEnv(run.Spec.Env)
		ok(t, err)
		again, err := rewarded.Launch(t.Context(), run.Spec.Env, env.(envs.GrowingEnv).Observed(), run.Spec.Seed, k)
		ok(t, err)
		_, err = again.Reset(t.Context())
		ok(t, err)
		for i, a := range walk.Actions {
			o, err := again.Step(t.Context(), int(a))
			ok(t, err)
			if math.Float64bits(o.Reward) != math.Float64bits(want[i]) {
				t.Fatalf("iteration %d, step %d: the reward %v is recorded as %v", k, i, o.Reward, want[i])
			}
		}
	}
}

// TestOtherRewards: an environment that differs only in its rewards is detected, both when a run is replayed and when
// it is continued.
func TestOtherRewards(t *testing.T) {
	richer := rewarded
	richer.richer = 18
	store, run := rewardedRun(t)
	j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{Launcher: richer})
	ok(t, err)
	wantVerdicts(t, j, "≠=== ≠===")
	if d := j.First; d == nil || d.Stage != stages.Collect || d.Record != schema.KindRewards || d.Index != 17 ||
		d.Recomputed.(float64)-d.Recorded.(float64) < 0.09 {
		t.Errorf("first difference %+v", d)
	}
	stopped := newStore(t, tracker.Options{})
	job := replay.Job{Spec: run.Spec, Target: 2}
	if o, _ := runStopped(t, rewarded, stopped, job, 5); !errors.Is(o.Err, replay.ErrInterrupted) {
		t.Fatal(o.Err)
	}
	o, _ := runStopped(t, richer, stopped, job, 0)
	if !errors.Is(o.Err, envs.ErrEnvNotRepeatable) || !strings.Contains(o.Err.Error(), "step 17 of iteration 0") ||
		!strings.Contains(o.Err.Error(), "reward") {
		t.Errorf("%v, want another reward at step 17", o.Err)
	}
}

// TestForgedRewards: rewards that the environment did not give are named with it. Without it they are only claimed, and
// a record that does not fit the steps is still found.
func TestForgedRewards(t *testing.T) {
	store, run := rewardedRun(t)
	truth := record(t, store, run)
	edited := func(change func(*schema.Rewards)) *recording {
		r := truth.clone()
		edit(t, r, 1, schema.KindRewards, 0, schema.DecodeRewards, change)
		return r
	}
	without := truth.clone()
	without.iterations[1] = slices.Delete(without.iterations[1], 2, 3)
	fewer := edited(func(r *schema.Rewards) { *r = (*r)[1:] })
	for name, c := range map[string]struct {
		forged        *recording
		with, claimed string
	}{
		"as they were":  {truth, "==== ====", "?=== ?==="},
		"another":       {edited(func(r *schema.Rewards) { (*r)[3]++ }), "==== ≠===", "?=== ?==="},
		"one fewer":     {fewer, "==== ≠===", "?=== !==="},
		"none":          {without, "==== ≠===", "?=== !==="},
		"another chunk": {truth.clone(), "==== ====!", "?=== !==="},
	} {
		if name == "another chunk" {
			c.forged.iterations[1] = slices.Insert(c.forged.iterations[1], 3, c.forged.iterations[0][2])
		}
		forged, run := c.forged.write(t, nil)
		for launcher, want := range map[replay.EnvLauncher]string{rewarded: c.with, nil: c.claimed} {
			j, err := replay.Verify(t.Context(), forged, run, replay.Scope{}, replay.Options{Launcher: launcher})
			ok(t, err)
			t.Logf("%s, with the environment: %v", name, launcher != nil)
			wantVerdicts(t, j, want)
		}
	}
	fit, shape := recorded.NewFitFunc(run), schema.Shape{}
	data := fewer.iterations[1][fewer.at(t, 1, schema.KindRewards, 0)].data
	shape, err := schema.ReadShape(data)
	ok(t, err)
	if err := fit(1, schema.KindRewards, shape); !errors.Is(err, tracker.ErrDamaged) {
		t.Errorf("639 rewards of 640 steps: %v", err)
	}
	plain := run
	x := *plain.Spec.Env.External
	x.Reward = false
	plain.Spec.Env.External = &x
	err = recorded.NewFitFunc(plain)(1, schema.KindRewards, schema.Shape{640, 1})
	if !errors.Is(err, tracker.ErrDamaged) {
		t.Errorf("rewards of an environment without: %v", err)
	}
}

// TestRewardsOfChunks stops a run in its second chunk of steps, and lets it go on.
func TestRewardsOfChunks(t *testing.T) {
	schematest.SkipUnlessLong(t)
	world := elsewhere{cells: 30, rewards: true}
	job := replay.Job{Spec: world.spec(schema.Empirical), Target: 1}
	job.Spec.Steps = schema.ChunkSteps + 1000
	calm, store := newStore(t, tracker.Options{}), newStore(t, tracker.Options{})
	want, _ := runStopped(t, world, calm, job, 0)
	ok(t, want.Err)
	judgeExternal(t, world, calm, want.Run)
	if o, _ := runStopped(t, world, store, job, schema.ChunkSteps/64+5); !errors.Is(o.Err, replay.ErrInterrupted) {
		t.Fatal(o.Err)
	}
	if o, _ := runStopped(t, world, store, job, 0); o.Err != nil || o.Head != want.Head {
		t.Errorf("head %s, %v, want %s", o.Head, o.Err, want.Head)
	}
	richer := world
	richer.richer = schema.ChunkSteps + 1
	with := replay.Options{Launcher: richer}
	j, err := replay.Verify(t.Context(), store, runOf(t, store, want.Run), replay.Scope{}, with)
	ok(t, err)
	if d := j.First; d == nil || d.Record != schema.KindRewards || d.Part != 1 || d.Index != 0 {
		t.Errorf("first difference %+v", d)
	}
}
