package replay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// onStates returns a spec of a method on states, in four rooms or, with chance and
// episodes, in the I-maze.
func onStates(t testing.TB, method schema.Method, dataset schema.Dataset, chance bool) schema.Spec {
	t.Helper()
	s := pod.PaperSpec()
	env, err := envs.DefaultEnv("grid")
	ok(t, err)
	if chance {
		env.Text["map"], env.Params["slip"], env.Params["episode"], env.Params["goal"] = "i-maze", 200, 60, 1
	}
	s.Env, s.Method, s.Dataset, s.Select, s.Steps, s.Gamma = env, method, dataset, "top=2", 700, 0.9
	if method != schema.Covering {
		ok(t, s.Validate())
	}
	return s
}

// withMatrix returns specs of all methods that factor a matrix of their own, as [onStates] does.
func withMatrix(t testing.TB, dataset schema.Dataset, chance bool) map[string]schema.Spec {
	all := map[string]schema.Spec{}
	for _, method := range []schema.Method{schema.Laplacian, schema.Successor, schema.SuccessorFeatures,
		schema.Counts} {
		all[string(method)] = onStates(t, method, dataset, chance)
	}
	change := func(method schema.Method, of func(*schema.Spec)) schema.Spec {
		s := onStates(t, method, dataset, chance)
		of(&s)
		ok(t, s.Validate())
		return s
	}
	visited := func(s *schema.Spec) { s.StateSet = schema.VisitedStates }
	all["laplacian, visited"] = change(schema.Laplacian, visited)
	all["successor, visited"] = change(schema.Successor, func(s *schema.Spec) {
		visited(s)
		s.PsiGamma = 0.7
	})
	all["successor-features, rows and columns"] = change(schema.SuccessorFeatures, func(s *schema.Spec) {
		s.Env.Text["observe"], s.Select, s.Basis = envs.RowAndColumn, "novel=0.9", schema.RowsOfV
	})
	all["covering, visited"] = change(schema.Covering, func(s *schema.Spec) {
		visited(s)
		s.Select = "top=1"
	})
	all["counts, visited"] = change(schema.Counts, visited)
	all["successor, visited, novel"] = change(schema.Successor, func(s *schema.Spec) {
		visited(s)
		s.Select, s.Kappa, s.Steps = "novel=0.9", 0.5, 150
	})
	return all
}

// eachMethod runs a test for the methods with a matrix of their own: every other one with cumulative datasets in a
// stochastic environment, the others with a dataset for each iteration in a deterministic one.
func eachMethod(t *testing.T, test func(*testing.T, schema.Spec)) {
	steady, slippery := withMatrix(t, schema.PerIteration, false), withMatrix(t, schema.Cumulative, true)
	for i, name := range slices.Sorted(maps.Keys(steady)) {
		spec := steady[name]
		if i%2 == 0 {
			spec = slippery[name]
		}
		t.Run(fmt.Sprintf("%s, %s", name, spec.Dataset), func(t *testing.T) {
			t.Parallel()
			test(t, spec)
		})
	}
}

// TestMethodsReplay: whatever the method, a run replays, as a whole and iteration by iteration; interrupted at any
// instant it reaches the same head; and it can be continued beyond its end.
func TestMethodsReplay(t *testing.T) {
	eachMethod(t, func(t *testing.T, spec schema.Spec) {
		job := replay.Job{Spec: spec, Target: 3}
		store, run := perform(t, job)
		its := iterationsOf(t, store, run.ID)
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "====="))
		for k := range its {
			wantVerdicts(t, judge(t, store, run, only(k)), "=====")
		}
		for n := 1; n <= 2; n++ {
			if j := judge(t, store, run, sampled(n, 2)); strings.ContainsAny(drawn(j), "≠!?") {
				t.Errorf("part %d of 2: %s", n, drawn(j))
			}
		}
		other := newStore(t, tracker.Options{})
		for n := int64(1); ; n++ {
			out, done := interrupt(t, other, job, n)
			if done {
				if out.Head != its[2].Link {
					t.Errorf("head %s after interruptions, %s without", out.Head, its[2].Link)
				}
				break
			}
			if !errors.Is(out.Err, replay.ErrInterrupted) || n > 200 {
				t.Fatal(out.Err)
			}
		}
	})
}

// TestMethodsAreAlike: with either dataset the first iteration is the same. The next one differs, since a cumulative
// matrix has more transitions.
func TestMethodsAreAlike(t *testing.T) {
	for _, method := range []schema.Method{schema.Laplacian, schema.Successor} {
		var factors [2][]schema.Digest
		for i, dataset := range []schema.Dataset{schema.PerIteration, schema.Cumulative} {
			store, run := perform(t, replay.Job{Spec: onStates(t, method, dataset, false), Target: 2})
			for _, it := range iterationsOf(t, store, run.ID) {
				factors[i] = append(factors[i], it.RecordsOf(schema.KindFactors)...)
			}
		}
		if factors[0][0] != factors[1][0] || factors[0][1] == factors[1][1] {
			t.Errorf("%s: %v and %v", method, factors[0], factors[1])
		}
	}
}

// TestLostTransitionsOfMethods: if the matrix is cumulative, lost transitions leave it unjudged in every later
// iteration; otherwise only in their own.
func TestLostTransitionsOfMethods(t *testing.T) {
	eachMethod(t, func(t *testing.T, spec schema.Spec) {
		whole, run := perform(t, replay.Job{Spec: spec, Target: 4})
		its := iterationsOf(t, whole, run.ID)
		store := copyStore(t, whole.Path())
		spoil(t, store, damages["missing"](its[1].RecordsOf(schema.KindTransitions)[0]))
		want := "===== !?==? ?==== ====="
		if spec.Dataset == schema.Cumulative {
			want = "===== !?==? ??=== =?==="
		}
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), want)

		store = copyStore(t, whole.Path())
		random := rand.New(rand.NewPCG(8, 5))
		lose(t, store, random, namesOf(its[1:])...)
		restored, err := replay.Restore(context.Background(), store, run, everything, replay.Options{})
		ok(t, err)
		if len(restored.Lost) > 0 {
			t.Errorf("lost %v", restored.Lost)
		}
		wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(4, "====="))
	})
}

// TestPrunedMethods: a pruned run replays, and goes on where it has what it needs,
// which for a cumulative matrix are all transitions.
func TestPrunedMethods(t *testing.T) {
	eachMethod(t, func(t *testing.T, spec schema.Spec) {
		longer := replay.Job{Spec: spec, Target: 4}
		whole, run := perform(t, replay.Job{Spec: spec, Target: 3})
		for name, keep := range keepings {
			store := copyStore(t, whole.Path())
			prune(t, store, run, keep)
			wantVerdicts(t, judge(t, store, run, replay.Scope{}), all(3, "====="))
			err := replay.CheckJobs(t.Context(), store, []replay.Job{longer}, replay.Options{})
			if goesOn := name == "what is needed to go on" &&
				spec.Dataset == schema.PerIteration; (err == nil) != goesOn {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestMethodsCompared: purposes over states are compared with those over features
// where a feature is a state, and with no others.
func TestMethodsCompared(t *testing.T) {
	lap, sr := onStates(t, schema.Laplacian, schema.PerIteration, false), onStates(t, schema.Successor,
		schema.PerIteration, false)
	plain, binary := lap, lap
	plain.Method, binary.Method = "", ""
	binary.Env = binary.Env.Clone()
	binary.Env.Text["observe"] = envs.RowAndColumn
	onBinary := lap
	onBinary.Env = binary.Env
	for name, c := range map[string]struct {
		a, b schema.Spec
		ok   bool
	}{"two methods": {lap, sr, true}, "a feature a state": {lap, plain, true},
		"other features": {onBinary, binary, false}} {
		store := newStore(t, tracker.Options{})
		var runs []*diff.Side
		for _, spec := range []schema.Spec{c.a, c.b} {
			id := runJobs(t, store, []replay.Job{{Spec: spec, Target: 2}}, 1)[0].Run
			r, err := diff.Open(t.Context(), store, id.String())
			ok(t, err)
			runs = append(runs, r)
		}
		_, err := diff.CompareRuns(t.Context(), runs[0], runs[1], diff.Limits{})
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, diff.ErrIncomparable) || schema.Remedy(err) == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
