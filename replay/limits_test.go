package replay_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// TestLimits: the first and the last iteration or option of a run are found, and one beyond is refused by an error that
// says how many there are.
func TestLimits(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store, err := replay.Create(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run(ctx, replay.Job{Spec: smallRing(), Target: 2}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	options := 0
	for k := range 2 {
		all, err := run.Options(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		options += len(all)
	}
	measures := func(k int) error {
		_, err := run.Measures(ctx, k)
		return err
	}
	fork := func(k int, change func(*schema.Spec)) error {
		spec := smallRing()
		change(&spec)
		_, err := run.Fork(ctx, k, spec)
		return err
	}
	before := func(k int) error { return fork(k, func(s *schema.Spec) { s.Kappa = 2 }) }
	without := func(option int) error {
		return fork(2, func(s *schema.Spec) { s.LeaveOut = []uint64{uint64(option)} })
	}
	target := func(n int) error {
		_, err := store.RunAll(ctx, []replay.Job{{Spec: smallRing(), Target: n}}, 1, replay.Options{})
		return err
	}
	verify := func(k int) error {
		_, err := replay.Verify(ctx, tracker.New(path, tracker.Options{}), run.Run, replay.Scope{Iteration: &k},
			replay.Options{})
		return err
	}
	schematest.Limits{
		{"the last iteration", "no iteration 2 … it has 2,", measures(1), measures(2)},
		{"the first iteration", "no iteration -1 … it has 2,", measures(0), measures(-1)},
		{"the last verified iteration", "no iteration 2 … it has 2,", verify(1), verify(2)},
		{"the first verified iteration", "no iteration -1 … it has 2,", verify(0), verify(-1)},
		{"a fork of all", "before iteration 3 … at most all", before(2), before(3)},
		{"a fork of one", "before iteration 0 … at least one", before(1), before(0)},
		{"an option left out", fmt.Sprintf("option %d … it has %[1]d opt", options), without(options - 1),
			without(options)},
		{"iterations of a job", "target 0 … at least 1", target(1), target(0)},
	}.Check(t)
	for d, want := range map[time.Duration]string{9900 * time.Millisecond: "9.9 s", 10 * time.Second: "10 s"} {
		if got := replay.AboveSeconds(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	if !errors.Is(measures(2), tracker.ErrMissing) {
		t.Error("an iteration that there is not is not missing")
	}
}

// TestRecordLimits: the first state, option and record beyond what there is are malformed, and the last ones are read.
func TestRecordLimits(t *testing.T) {
	r := walkRun(t, "as-written")
	env, err := envs.NewEnv(r.run.Spec.Env)
	ok(t, err)
	chunk := func(start, option, options int) error {
		c := schema.Transitions{Start: uint64(start), Arity: 2, Actions: []uint8{0},
			Spans: []schema.Span{{Option: int32(option), Steps: 1}}}
		return recorded.VisitChunk(env, options, &c, func(recorded.Step) {})
	}
	begun := func(start int) (err error) {
		forged := r.clone()
		edit(t, forged, 0, schema.KindTransitions, 0, schema.DecodeTransitions, func(c *schema.Transitions) {
			c.Start = uint64(start)
		})
		store, run := forged.write(t, nil)
		view(t, store, func(tx *tracker.Tx) error {
			it := iterationsOf(t, store, run.ID)[0]
			_, err = recorded.LoadTransitionStats(tx, env, nil, it)
			return nil
		})
		return err
	}
	store, run := r.write(t, nil)
	its := iterationsOf(t, store, run.ID)
	options := len(its[0].RecordsOf(schema.KindOption))
	learned := func(i int) (err error) {
		view(t, store, func(tx *tracker.Tx) error {
			_, _, err = recorded.ListLearned(its[0]).Load(tx, env, i)
			return nil
		})
		return err
	}
	name := func(i int) error {
		if recorded.ListLearned(its[0]).Name(i) == (schema.Digest{}) {
			return wire.ErrMalformed
		}
		return nil
	}
	n := env.States()
	for _, limit := range []struct {
		name       string
		at, beyond error
	}{
		{"the first state of steps", chunk(n-1, schema.Primitive, 0), chunk(n, schema.Primitive, 0)},
		{"the option of a step", chunk(0, 2, 3), chunk(0, 3, 3)},
		{"the first state of statistics", begun(n - 1), begun(n)},
		{"an option", learned(options - 1), learned(options)},
		{"the name of an option", name(options - 1), name(options)},
	} {
		if limit.at != nil || !errors.Is(limit.beyond, wire.ErrMalformed) {
			t.Errorf("%s: at the limit %v, one beyond %v", limit.name, limit.at, limit.beyond)
		}
	}
}

// TestUsageBeyondOptions: steps under an option that does not exist are malformed, whichever option the last step is
// under.
func TestUsageBeyondOptions(t *testing.T) {
	r := walkRun(t, "as-written")
	edit(t, r, 1, schema.KindTransitions, 0, schema.DecodeTransitions, func(c *schema.Transitions) {
		c.Spans = []schema.Span{{Option: 0, Steps: uint32(len(c.Actions))}}
	})
	store, run := r.write(t, nil)
	env, err := envs.NewEnv(run.Spec.Env)
	ok(t, err)
	view(t, store, func(tx *tracker.Tx) error {
		_, err := recorded.LoadOptionUsage(tx, env, nil, nil, iterationsOf(t, store, run.ID)[1])
		if !errors.Is(err, wire.ErrMalformed) {
			t.Error(err)
		}
		return nil
	})
}

// TestChunkWithoutRewards: each chunk of steps has a record of rewards.
func TestChunkWithoutRewards(t *testing.T) {
	store, run := rewardedRun(t)
	it := iterationsOf(t, store, run.ID)[0]
	visit := func(it schema.Iteration) error {
		return recorded.VisitRewards(store.Within(t.Context()), it, run.Spec.Steps,
			func(schema.Rewards) error { return nil })
	}
	ok(t, visit(it))
	it.Records = slices.DeleteFunc(it.Records, func(e schema.Entry) bool { return e.Kind == schema.KindRewards })
	if err := visit(it); !errors.Is(err, wire.ErrMalformed) {
		t.Error(err)
	}
}
