package replay_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// observers returns specs, by name, whose learners have no model: with and without accumulated transitions, with
// episodes, with chance.
func observers(t *testing.T) map[string]schema.Spec {
	t.Helper()
	all := map[string]schema.Spec{}
	for _, p := range pinnedHeads(t) {
		if _, has := all[string(p.Spec.Learner)]; !has && p.Spec.UsesExperience() {
			all[string(p.Spec.Learner)] = p.Spec
		}
	}
	if len(all) != 3 {
		t.Fatalf("%d learners without a model are pinned", len(all))
	}
	return all
}

// TestObserversPruned judges pruned runs of such specs, completely and by samples.
func TestObserversPruned(t *testing.T) {
	for learner, spec := range observers(t) {
		whole, run := perform(t, replay.Job{Spec: spec, Target: 3})
		for name, keep := range keepings {
			t.Run(learner+"/"+name, func(t *testing.T) {
				store := copyStore(t, whole.Path())
				if prune(t, store, run, keep) == 0 {
					t.Error("nothing is gone")
				}
				wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "===="))
				for n := 1; n <= schematest.Size(1, 3); n++ {
					if j := judge(t, store, run, sampled(n, 3)); strings.ContainsAny(drawn(j), "≠!?") {
						t.Errorf("part %d of 3: %s", n, drawn(j))
					}
				}
			})
		}
	}
}

// TestWeightsAreKeptAsValues: weights are kept if values are, and dropped if values are.
func TestWeightsAreKeptAsValues(t *testing.T) {
	store, run := perform(t, replay.Job{Spec: observers(t)["lspi"], Target: 2})
	weights := recorded.LearnedEntries(iterationsOf(t, store, run.ID)[1])
	if len(weights) == 0 || weights[0].Kind != schema.KindTheta {
		t.Fatalf("learned: %v", weights)
	}
	gone := func() (gone bool) {
		view(t, store, func(tx *tracker.Tx) error {
			gone = tx.Rows().IsPruned(weights[0].Name)
			return nil
		})
		return gone
	}
	if prune(t, store, run, keepings["values"]); gone() {
		t.Error("weights are pruned where values are kept")
	}
	if prune(t, store, run, keepings["options"]); !gone() {
		t.Error("weights are kept where values are not")
	}
}

// TestObserversDamaged destroys one record of iteration 1. Observations are read by learning, and by all later learning
// if the learner accumulates them.
func TestObserversDamaged(t *testing.T) {
	cases := []struct {
		kind             schema.Kind
		gathering, other string
	}{
		{schema.KindTransitions, "==== !??? ?=?= ==?=", "==== !??? ?=== ===="},
		{schema.KindFactors, "==== =!?? =?== ====", "==== =!?? ==== ===="},
		{"", "==== ==!= ==== ====", "==== ==!= ==== ===="}, // what was learned
		{schema.KindOption, "==== ==!? ???? ????", "==== ==!? ???? ????"},
		{schema.KindMeasures, "==== ===! ==== ====", "==== ===! ==== ===="},
	}
	for learner, spec := range observers(t) {
		whole, run := perform(t, replay.Job{Spec: spec, Target: 4})
		for _, c := range cases {
			want, kind := c.other, c.kind
			if spec.AccumulatesExperience() {
				want = c.gathering
			}
			if kind == "" {
				kind = spec.LearnedKind()
			}
			for how, damage := range damages {
				if !schematest.Long() && (how == "flipped") != (kind == schema.KindFactors) {
					continue // one way each
				}
				t.Run(learner+"/"+string(kind)+"/"+how, func(t *testing.T) {
					store := copyStore(t, whole.Path())
					spoil(t, store, damage(iterationsOf(t, whole, run.ID)[1].RecordsOf(kind)[0]))
					wantVerdicts(t, judge(t, store, run, replay.Scope{}), want)
				})
			}
		}
	}
}

// TestObserversRestored drops some or all records, and restores them.
func TestObserversRestored(t *testing.T) {
	for learner, spec := range observers(t) {
		t.Run(learner, func(t *testing.T) {
			store, run := perform(t, replay.Job{Spec: spec, Target: 3})
			random := rand.New(rand.NewPCG(8, 12))
			for round := range schematest.Size(2, 6) {
				copied := copyStore(t, store.Path())
				names := namesOf(iterationsOf(t, copied, run.ID))
				random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				if round > 0 {
					names = names[:1+random.IntN(len(names))]
				}
				lose(t, copied, random, names...)
				restored, err := replay.Restore(context.Background(), copied, run, everything, replay.Options{})
				ok(t, err)
				if len(restored.Lost) > 0 || len(restored.Recomputed) == 0 {
					t.Fatalf("round %d: %d of %d records are back, lost: %v", round, len(restored.Recomputed),
						len(names), restored.Lost)
				}
				wantVerdicts(t, judge(t, copied, run, replay.Scope{}), all(3, "===="))
			}
		})
	}
}

// TestGathererGoesOn: a run that accumulates transitions keeps them until it is complete, and cannot continue without
// them.
func TestGathererGoesOn(t *testing.T) {
	spec := observers(t)["empirical"]
	other, want := perform(t, replay.Job{Spec: spec, Target: 4})
	nothing := tracker.Retention{}
	store := newStore(t, tracker.Options{})
	if _, done := interrupt(t, store, replay.Job{Spec: spec, Target: 4, Keep: &nothing}, 40); done {
		t.Fatal("it was not interrupted")
	}
	runJobs(t, store, []replay.Job{{Spec: spec, Target: 4}}, 1)
	if a, b := iterationsOf(t, store, want.ID), iterationsOf(t, other, want.ID); len(a) != 4 || a[3].Link != b[3].Link {
		t.Errorf("%d iterations that end otherwise than those that were never interrupted", len(a))
	}
	prune(t, store, want, keepings["what is needed to go on"])
	err := replay.CheckJobs(t.Context(), store, []replay.Job{{Spec: spec, Target: 5}}, replay.Options{})
	if !errors.Is(err, tracker.ErrPruned) || !strings.Contains(schema.Remedy(err), "pruned of run") {
		t.Errorf("it goes on without what it observed: %v", err)
	}
}

// TestForkToObserver: a fork that begins to accumulate learns from what its ancestor observed; one that stops does not.
func TestForkToObserver(t *testing.T) {
	spec := small()
	spec.Dataset = schema.Cumulative
	store, run := perform(t, replay.Job{Spec: spec, Target: 4})
	forked := fork(t, store, run, 2, 4, func(s *schema.Spec) {
		s.Learner = schema.Empirical
		ok(t, s.Validate())
	})
	back := fork(t, store, forked, 3, 5, func(s *schema.Spec) { s.Learner, s.MaxOptionSteps = schema.Sweeps, 0 })
	wantVerdicts(t, judge(t, store, forked, replay.Scope{}), all(4, "===="))
	wantVerdicts(t, judge(t, store, back, replay.Scope{}), all(5, "===="))
	records, err := recorded.Open(store.Within(t.Context()), forked)
	ok(t, err)
	moves, err := records.Moves(2)
	ok(t, err)
	steps := int64(0)
	for _, m := range moves {
		steps += m.Count
	}
	if steps != 3*spec.Steps {
		t.Errorf("iteration 2 learned from %d steps, not those of three iterations", steps)
	}
}

// TestObserversAnyBit flips a bit anywhere in what was learned.
func TestObserversAnyBit(t *testing.T) {
	for learner, spec := range observers(t) {
		store, run := perform(t, replay.Job{Spec: spec, Target: 2})
		truth := record(t, store, run)
		kind, random := spec.LearnedKind(), rand.New(rand.NewPCG(9, 13))
		for n := range schematest.Size(8, 30) {
			r := truth.clone()
			at := r.at(t, 1, kind, random.IntN(r.count(1, kind)))
			data := slices.Clone(r.iterations[1][at].data)
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
			r.iterations[1][at].data = data
			store, run := r.write(t, nil)
			j, err := replay.Verify(context.Background(), store, run, replay.Scope{}, replay.Options{})
			if err != nil {
				t.Fatalf("%s, case %d: %v", learner, n, err)
			}
			if got := drawn(j); got != "==== ==≠=" && got != "==== ==!=" {
				t.Errorf("%s, case %d: judged %s", learner, n, got)
			}
		}
	}
}

// TestLearnedAsRead: what readers make of a record gives the option's policy.
func TestLearnedAsRead(t *testing.T) {
	for learner, spec := range observers(t) {
		store, run := perform(t, replay.Job{Spec: spec, Target: 2})
		records, err := recorded.Open(store.Within(t.Context()), run)
		ok(t, err)
		env, its := records.Env, records.Iterations
		knew, err := records.LearnerEnv(1)
		ok(t, err)
		for i := range its[1].RecordsOf(schema.KindOption) {
			view(t, store, func(tx *tracker.Tx) error {
				o, l, err := recorded.ListLearned(its[1]).Load(tx, env, i)
				if err != nil {
					return err
				}
				q, actions := learn.ActionValues(knew, o.Purpose.Vector, l, spec.Gamma), o.Arity
				for s, a := range o.Policy {
					if want := envs.GreedyAction(q[s*actions:(s+1)*actions], o.Certificate.Tolerance); a != want {
						t.Fatalf("%s, option %d: action %d in state %d, q gives %d", learner, i, a, s, want)
					}
				}
				if v := learn.StateValues(env, o, l); len(v) != len(o.Policy) || slices.Min(v) < 0 {
					t.Errorf("%s, option %d: %d values, the least %v", learner, i, len(v), slices.Min(v))
				}
				return nil
			})
		}
	}
}
