package replay

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// FuzzPosition: an iteration that goes on from a checkpoint which is no more than
// well-formed makes what can be encoded, or refuses it.
func FuzzPosition(f *testing.F) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 4, 60
	built, err := pod.NewEnv(spec.Env)
	if err != nil {
		f.Fatal(err)
	}
	env := built.(pod.ModelEnv)
	store := tracker.New(filepath.Join(f.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(f.Context()); err != nil {
		f.Fatal(err)
	}
	options := learnedHere(f, env, spec)
	begin := func() *iteration {
		p := newRunState(env, tracker.Run{Spec: spec}, Options{})
		p.options.Options = options
		return newIteration(p, &recorder{}, func(string, int64, int64) {})
	}
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
func learnedHere(f *testing.F, env pod.ModelEnv, spec schema.Spec) (options []*schema.Option) {
	f.Helper()
	learner := pod.NewModelLearner(env, spec)
	for j := range 2 {
		for _, sign := range []int{1, -1} {
			vector := make([]float64, len(env.Features()))
			vector[j] = float64(sign)
			o, _, err := learner.Learn(f.Context(), schema.Purpose{J: j + 1, Sign: sign, Sigma: 2, Vector: vector})
			if err != nil {
				f.Fatal(err)
			}
			options = append(options, o)
		}
	}
	return options
}
