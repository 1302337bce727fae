package replay

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// positions returns a store, and a function that begins an iteration of a run with options on a ring of 16 states, of
// which it makes 60 steps.
func positions(tb testing.TB) (*tracker.Store, func() *iteration) {
	tb.Helper()
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 4, 60
	built, err := pod.NewEnv(spec.Env)
	if err != nil {
		tb.Fatal(err)
	}
	env := built.(pod.ModelEnv)
	store := tracker.New(filepath.Join(tb.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	options := learnedHere(tb, env, spec)
	return store, func() *iteration {
		p := newRunState(env, tracker.Run{Spec: spec}, nil, nil)
		p.options.Options = options
		return newIteration(p, nil, func(string, int64, int64) {})
	}
}

// TestPositionLimits: a checkpoint may be in the last state, and after the last step; one beyond is refused.
func TestPositionLimits(t *testing.T) {
	store, begin := positions(t)
	// restore goes on from a walk as far as done says, which claims to have ended so many states further.
	restore := func(further int, done func(*iteration) bool) error {
		it := begin()
		for !done(it) {
			if err := it.agent.Collect(t.Context(), &it.chunk, 1); err != nil {
				t.Fatal(err)
			}
		}
		it.agent.State += further
		at, err := it.encodeState()
		if err != nil {
			t.Fatal(err)
		}
		return begin().restore(t.Context(), store, &tracker.Checkpoint{State: at})
	}
	inLast := func(it *iteration) bool { return it.agent.State == 15 }
	after := func(steps int64) func(*iteration) bool {
		return func(it *iteration) bool { return it.stepsDone() == steps }
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
	env, spec, options := first.runState.env.(pod.ModelEnv), first.runState.spec(), first.runState.options.Options
	for _, steps := range []int{0, 1, 7, 30, 60} {
		it := begin()
		_ = it.agent.Collect(context.Background(), &it.chunk, steps)
		state, err := it.encodeState()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	for at := range env.Model().States { // in some of which an option ends
		it := begin()
		it.agent.State, it.agent.Executing, it.chunk.Start = at, at%len(options), uint64(at)
		state, err := it.encodeState()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		it := begin()
		if it.restore(t.Context(), store, &tracker.Checkpoint{State: state}) != nil {
			return
		}
		_ = it.agent.Collect(context.Background(), &it.chunk, int(max(spec.Steps-it.stepsDone(), 0)))
		if _, err := it.chunk.Encode(); err != nil {
			t.Fatal(err)
		}
		if err := it.stats.Add(&it.chunk); err != nil {
			t.Fatal(err)
		}
		if it.stats.State() != it.agent.State || it.stats.Steps() != spec.Steps {
			t.Fatalf("state %d after %d steps, the agent is in %d", it.stats.State(), it.stats.Steps(), it.agent.State)
		}
	})
}

// learnedHere returns the options of the first two axes, both ways.
func learnedHere(tb testing.TB, env pod.ModelEnv, spec schema.Spec) (options []*schema.Option) {
	tb.Helper()
	learner := pod.NewModelLearner(env, spec)
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
