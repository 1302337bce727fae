package replay_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// trap panics in one function of an environment, at one of its calls. Tests that set it do not run beside others.
var trap struct {
	function atomic.Value // string
	calls    atomic.Int64 // left before the panic
}

func setTrap(function string, calls int64) {
	trap.function.Store(function)
	trap.calls.Store(calls)
}

func passTrap(function string) {
	if f, _ := trap.function.Load().(string); f == function && trap.calls.Add(-1) < 0 {
		panic("trapped in " + function)
	}
}

// trapped is a row of cells that is not a [envs.Graph].
type trapped struct{ envs.SimulatedEnv }

func (t trapped) Observe(s int, dst []float64) {
	passTrap("own Observe")
	t.SimulatedEnv.Observe(s, dst)
}
func (t trapped) Potential(v, w []float64) { passTrap("own Potential"); t.SimulatedEnv.Potential(v, w) }
func (t trapped) Step(s, a int) int        { passTrap("own Step"); return t.SimulatedEnv.Step(s, a) }
func (t trapped) Model() *envs.Model       { passTrap("own Model"); return t.SimulatedEnv.Model() }

var registerTraps = sync.OnceValue(func() error {
	build := func(own bool) func(schema.Env) (envs.Env, error) {
		return func(schema.Env) (envs.Env, error) {
			passTrap("Build")
			env, err := envs.Graph{
				States: 40, Actions: []string{"left", "right"}, Features: []string{"place", "parity"},
				Observe: func(s int, dst []float64) { passTrap("Observe"); dst[0], dst[1] = float64(s), float64(s%2) },
				Step:    func(s, a int) int { passTrap("Step"); return min(max(s+2*a-1, 0), 39) },
			}.Env()
			if own {
				return trapped{env}, err
			}
			return env, err
		}
	}
	return errors.Join(
		envs.RegisterEnv(envs.RegisteredEnv{Name: "test.example/trap", Version: 1, Build: build(false)}),
		envs.RegisterEnv(envs.RegisteredEnv{Name: "test.example/own", Version: 1, Build: build(true)}))
})

// checkPanic returns the error unless it is that of a panic in this file.
func checkPanic(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	var p *envs.PanicError
	if !errors.Is(err, kind) || !errors.As(err, &p) || !strings.Contains(p.Detail(), "panics_test.go") ||
		!strings.HasPrefix(p.Place, "panics_test.go:") {
		t.Fatalf("%v, want a panic of this file", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
}

// TestPanicsOfEnvironments: a panic in any function of a registered environment ends its run with an error, and no
// other run; when it is continued, the run reaches the head of an undisturbed one.
func TestPanicsOfEnvironments(t *testing.T) {
	ok(t, registerTraps())
	setTrap("", 0)
	for name, functions := range map[string][]string{
		"test.example/trap": {"Build", "Observe", "Step"},
		"test.example/own":  {"Build", "own Observe", "own Potential", "own Step", "own Model"},
	} {
		spec := pod.NewSpec(schema.Env{Name: name, Version: 1, Params: map[string]int64{}})
		spec.Steps, spec.Kappa = 300, 0.5
		job, other := replay.Job{Spec: spec, Target: 3}, replay.Job{Spec: small(), Target: 2}
		want := runJobs(t, newStore(t, tracker.Options{}), []replay.Job{job}, 1)[0].Head
		for _, function := range functions {
			caught := 0
			for _, calls := range []int64{0, 1, 3, 30, 300, 1000} {
				store := newStore(t, tracker.Options{})
				ok(t, store.Create(t.Context()))
				var failed, complete replay.Outcome
				setTrap(function, calls)
				w := groupcommit.Start(t.Context(), store)
				jobs := func(yield func(replay.Job) bool) { _ = yield(job) && yield(other) }
				replay.NewEngine(store, w, replay.Options{}).RunAll(t.Context(), jobs, 1, func(j replay.Job, o replay.Outcome) {
					if j.Spec.Env.Name == name {
						failed = o
					} else {
						complete = o
					}
				})
				_ = w.Close(t.Context()) // it repeats the error
				setTrap("", 0)
				ok(t, complete.Err)
				if failed.Err == nil {
					continue // it is called less often
				}
				caught++
				checkPanic(t, failed.Err, envs.ErrEnvFailed, `environment "`+name+`"`, "trapped in "+function)
				if got := runJobs(t, store, []replay.Job{job}, 1)[0].Head; got != want {
					t.Errorf("%s after %d calls: the head is %s, not %s", function, calls, got, want)
				}
			}
			if caught == 0 {
				t.Errorf("%s was never called", function)
			}
			if function == "Build" {
				continue
			}
			store := newStore(t, tracker.Options{})
			made := runJobs(t, store, []replay.Job{job}, 1)[0]
			setTrap(function, 0)
			_, err := replay.Verify(t.Context(), store, runOf(t, store, made.Run), replay.Scope{}, replay.Options{})
			setTrap("", 0)
			checkPanic(t, err, envs.ErrEnvFailed, name)
		}
	}
}

// TestPanicsOfStages: a panic of a stage that is a function ends the run, names the stage, and is resumed.
func TestPanicsOfStages(t *testing.T) {
	x := serve(t, small())
	spec, set := x.declare(t)
	job := replay.Job{Spec: spec, Target: 2}
	want := runWith(t, newStore(t, tracker.Options{}), job, replay.Options{Stages: set})
	ok(t, want.Err)
	for _, stage := range spec.Stages.Names() {
		store := newStore(t, tracker.Options{})
		broken := &replay.StageSet{}
		p := *spec.Stages
		ok(t, errors.Join(
			broken.AddMethod(*p.Method, func(ctx context.Context, in pod.MethodInput) (pod.MethodOutput, error) {
				if stage == schema.MethodStage && in.K == 1 {
					panic("lost")
				}
				return x.factor(ctx, in)
			}),
			broken.AddSelect(*p.Select, func(ctx context.Context, in pod.SelectInput) ([]schema.Direction, error) {
				if stage == schema.SelectStage && in.K == 1 {
					return in.Directions[:1+len(in.Directions)], nil
				}
				return x.choose(ctx, in)
			}),
			broken.AddLearner(*p.Learner, func(ctx context.Context, in pod.LearnInput) (schema.ValueFunction, error) {
				if stage == schema.LearnerStage && in.K == 1 && in.Purpose.J == 2 {
					_ = in.W[len(in.W)]
				}
				return x.learn(ctx, in)
			})))
		out := runWith(t, store, job, replay.Options{Stages: broken})
		checkPanic(t, out.Err, pod.ErrStageFailed, "external "+stage, "it panicked")
		if out.Iterations != 1 {
			t.Errorf("%s: %d iterations are recorded, not 1", stage, out.Iterations)
		}
		again := runWith(t, store, job, replay.Options{Stages: set})
		if ok(t, again.Err); again.Head != want.Head {
			t.Errorf("%s: the head is %s, not %s", stage, again.Head, want.Head)
		}
	}
}

// TestGuardedStages: each function of a stage is guarded against panics, and a missing one stays missing.
func TestGuardedStages(t *testing.T) {
	lost := func(context.Context, pod.MeasureInput) (schema.ExternalMeasures, error) { panic("lost") }
	p := schema.StageProgram{Name: "lost", Version: "1", Measures: []string{"lost"}}
	set := &replay.StageSet{}
	ok(t, set.AddMeasure(p, lost))
	funcs, err := set.LaunchStages(t.Context(), &schema.Stages{Measure: &p})
	if ok(t, err); funcs.Has(schema.CollectStage) {
		t.Error("a function that is not there became one")
	}
	launch := func(context.Context) (pod.StageFuncs, error) { return funcs, nil }
	_, err = pod.MeasureExternally(t.Context(), launch, pod.MeasureInput{})
	if found := (*envs.PanicError)(nil); !errors.As(err, &found) || found.Value != "lost" {
		t.Errorf("%v, want a panic", err)
	}
}

// fragile is a simulation that panics in one of its functions.
type fragile struct {
	function string
	at       int
}

func (f *fragile) Reset() (int, error) {
	if f.function == "Reset" {
		panic("lost in Reset")
	}
	return f.at, nil
}

func (f *fragile) Step(a int) (envs.Outcome[int], error) {
	if f.function == "Step" && f.at == 0 {
		panic("lost in Step")
	}
	f.at = min(max(f.at+2*a-1, 0), 9)
	return envs.Outcome[int]{State: f.at}, nil
}

func (f *fragile) Close() error {
	if f.function == "Close" {
		panic("lost in Close")
	}
	return nil
}

// TestPanicsOfSimulations: each function of a simulation may panic, and the run ends with an error.
func TestPanicsOfSimulations(t *testing.T) {
	for _, function := range []string{"New", "Reset", "Step", "Close"} {
		make := func(function string) *envs.Simulation[int] {
			return &envs.Simulation[int]{Name: "fragile", Version: "1", Actions: []string{"left", "right"}, Size: 10,
				New: func(uint64) (envs.Simulator[int], error) {
					if function == "New" {
						panic("lost in New")
					}
					return &fragile{function, 5}, nil
				}}
		}
		env, err := make("").Env()
		ok(t, err)
		spec := pod.NewSpec(env)
		spec.Steps, spec.Kappa = 200, 0.5
		ok(t, spec.Validate())
		job := replay.Job{Spec: spec, Target: 2}
		want := runWith(t, newStore(t, tracker.Options{}), job, replay.Options{Launcher: make("")})
		ok(t, want.Err)
		store := newStore(t, tracker.Options{})
		out := runWith(t, store, job, replay.Options{Launcher: make(function)})
		checkPanic(t, out.Err, envs.ErrEnvFailed, `environment "fragile"`, "lost in "+function)
		again := runWith(t, store, job, replay.Options{Launcher: make("")})
		if ok(t, again.Err); again.Head != want.Head {
			t.Errorf("%s: the head is %s, not %s", function, again.Head, want.Head)
		}
	}
}

// TestOwnPanicsStay: a panic that is not in a registered environment is not caught.
func TestOwnPanicsStay(t *testing.T) {
	defer func() {
		if recover() != "own" {
			t.Error("a panic of podtrack became an error")
		}
	}()
	func() (err error) {
		defer envs.CatchEnvPanic(&err)
		panic("own")
	}()
}
