package evaluate

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// learned returns an iteration in four rooms whose options a learner learned.
func learned(t *testing.T, learner schema.Learner, dataset schema.Dataset) *Subject {
	t.Helper()
	env, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env, spec.Steps, spec.Kappa, spec.Learner, spec.Dataset = env, 60, 1.5, learner, dataset
	if (schema.Spec{Learner: learner}).UsesExperience() {
		spec.MaxOptionSteps = 100
	}
	if !learner.UsesSweeps() {
		spec.Sweeps = 0
	}
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(t.Context(), store)
	var run tracker.Run
	replay.NewEngine(store, w, replay.Options{}).Run(t.Context(), replay.Job{Spec: spec, Target: 2},
		func(o replay.Outcome) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			err = store.View(context.Background(), func(tx *tracker.Tx) (err error) {
				run, err = tx.ReadRun(o.Run)
				return err
			})
		})
	if err := errors.Join(err, w.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), store, run, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRandomOptions: the baseline of random options is learned from what the run observed: no option
// of it acts where nothing was observed, and the learner that is given the options' own purposes
// learns the options.
func TestRandomOptions(t *testing.T) {
	for _, v := range []struct {
		learner schema.Learner
		dataset schema.Dataset
	}{
		{schema.Sweeps, schema.PerIteration}, {schema.Exact, schema.PerIteration}, {schema.Empirical, schema.PerIteration},
		{schema.Empirical, schema.Cumulative}, {schema.QLearning, schema.PerIteration}, {schema.LSPI, schema.PerIteration},
	} {
		s := learned(t, v.learner, v.dataset)
		spec := task.DefaultSpec(0)
		spec.Against = []string{task.AgainstRandom}
		sets, err := s.newActionSets(spec)
		if err != nil {
			t.Fatal(err)
		}
		own, err := sets.of(t.Context(), task.AgainstRandom, 3)
		if err != nil || len(own.Options) != len(s.Options) {
			t.Fatalf("%s: %d options, %v", v.learner, len(own.Options), err)
		}
		learner, err := learn.NewOptionLearner(s.Env, s.Run.SpecAt(s.K), sets.seen)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := learner.Learn(t.Context(), s.Options[0].Purpose)
		if err != nil || !slices.Equal(again.Policy, s.Options[0].Policy) {
			t.Errorf("%s: the run's first option is learned otherwise, %v", v.learner, err)
		}
		if v.learner == schema.Empirical {
			checkObserved(t, sets, own)
		}
	}
}

// checkObserved: no option starts in a state that was not observed.
func checkObserved(t *testing.T, sets *actionSets, set task.ActionSet) {
	t.Helper()
	observed := map[int]bool{}
	for _, m := range sets.seen.Transitions {
		observed[int(m.State)] = true
	}
	unseen := 0
	for s := range sets.Env.States() {
		if observed[s] {
			continue
		}
		unseen++
		for i, o := range set.Options {
			if o.CanStart(s) {
				t.Errorf("option %d starts in state %d, which was not observed", i, s)
			}
		}
	}
	if unseen == 0 {
		t.Error("everything was observed: the test shows nothing")
	}
}
