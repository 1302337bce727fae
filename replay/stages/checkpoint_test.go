package stages

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// positions returns a store, and a function that begins an iteration of a run with options on a ring of 16 states, of
// which it makes 60 steps.
func positions(tb testing.TB) (*tracker.Store, func() *Iteration) {
	tb.Helper()
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 4, 60
	built, err := envs.NewEnv(spec.Env)
	if err != nil {
		tb.Fatal(err)
	}
	env := built.(envs.ModelEnv)
	store := tracker.New(filepath.Join(tb.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	options := learnedHere(tb, env, spec)
	return store, func() *Iteration {
		p := NewState(env, tracker.Run{Spec: spec}, nil, nil)
		p.options.Options = options
		return NewIteration(p, nil, func(string, int64, int64) {})
	}
}

// TestPositionLimits: a checkpoint may be in the last state, and after the last step; one beyond is refused.
func TestPositionLimits(t *testing.T) {
	store, begin := positions(t)
	// restore goes on from a walk as far as done says, which claims to have ended so many states further.
	restore := func(further int, done func(*Iteration) bool) error {
		it := begin()
		for !done(it) {
			if err := it.Agent.Collect(t.Context(), &it.chunk, 1); err != nil {
				t.Fatal(err)
			}
		}
		it.Agent.State += further
		at, err := it.EncodeState()
		if err != nil {
			t.Fatal(err)
		}
		return begin().Restore(t.Context(), store, &tracker.Checkpoint{State: at})
	}
	inLast := func(it *Iteration) bool { return it.Agent.State == 15 }
	after := func(steps int64) func(*Iteration) bool {
		return func(it *Iteration) bool { return it.StepsDone() == steps }
	}
	for _, limit := range []struct {
		at, beyond error
		says       string
	}{
		{restore(0, inLast), restore(1, inLast), "malformed: state 16 under option"},
		{restore(0, after(60)), restore(0, after(61)), "61 steps lead to state"},
	} {
		if limit.at != nil || limit.beyond == nil || !strings.Contains(limit.beyond.Error(), limit.says) {
			t.Errorf("at the limit %v, one beyond %v, want %q", limit.at, limit.beyond, limit.says)
		}
	}
}

// FuzzPosition: an iteration that goes on from a checkpoint which is no more than
// well-formed makes what can be encoded, or refuses it.
func FuzzPosition(f *testing.F) {
	store, begin := positions(f)
	first := begin()
	env, spec, options := first.RunState.Env.(envs.ModelEnv), first.RunState.Spec(), first.RunState.options.Options
	for _, steps := range []int{0, 1, 7, 30, 60} {
		it := begin()
		_ = it.Agent.Collect(context.Background(), &it.chunk, steps)
		state, err := it.EncodeState()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	for at := range env.Model().States { // in some of which an option ends
		it := begin()
		it.Agent.State, it.Agent.Executing, it.chunk.Start = at, at%len(options), uint64(at)
		state, err := it.EncodeState()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		it := begin()
		if it.Restore(t.Context(), store, &tracker.Checkpoint{State: state}) != nil {
			return
		}
		_ = it.Agent.Collect(context.Background(), &it.chunk, int(max(spec.Steps-it.StepsDone(), 0)))
		if _, err := it.chunk.Encode(); err != nil {
			t.Fatal(err)
		}
		if err := it.Stats.Add(&it.chunk); err != nil {
			t.Fatal(err)
		}
		if it.Stats.State() != it.Agent.State || it.Stats.Steps() != spec.Steps {
			t.Fatalf("state %d after %d steps, the agent is in %d", it.Stats.State(), it.Stats.Steps(), it.Agent.State)
		}
	})
}

// learnedHere returns the options of the first two axes, both ways.
func learnedHere(tb testing.TB, env envs.ModelEnv, spec schema.Spec) (options []*schema.Option) {
	tb.Helper()
	learner := learn.NewModelLearner(env, spec)
	for j := range 2 {
		for _, sign := range []int{1, -1} {
			vector := make([]float64, len(env.Features()))
			vector[j] = float64(sign)
			o, _, err := learner.Learn(tb.Context(), schema.Purpose{J: j + 1, Sign: sign, Sigma: 2, Vector: vector})
			if err != nil {
				tb.Fatal(err)
			}
			options = append(options, o)
		}
	}
	return options
}
