package replay_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// registerCopy registers the grid under another name, as a graph of the grid's own functions.
func registerCopy() error {
	original, _, err := gridEntry()
	if err != nil {
		return err
	}
	return envs.RegisterEnv(envs.RegisteredEnv{
		Name: "test.example/grid", Version: 1, Parameters: original.Parameters, TextParameters: original.TextParameters,
		Build: func(e schema.Env) (envs.Env, error) {
			env, err := original.Build(e)
			if err != nil {
				return nil, err
			}
			g := env.(*envs.Grid)
			copied := envs.Graph{
				States: g.States(), Actions: g.Actions(), Features: g.Features(), Observe: g.Observe, Starts: g.StartStates(),
				IsTerminal: g.IsTerminal, EpisodeLimit: g.EpisodeLimit(), StateName: g.StateName, Step: g.Step,
			}
			if slip := e.Params["slip"]; slip > 0 {
				copied.Step = nil
				copied.Branches = func(s, a int) []envs.Branch {
					branches := []envs.Branch{{Next: int32(g.Step(s, a)), Weight: (1000 - slip) * 4}}
					for other := range 4 {
						branches = append(branches, envs.Branch{Next: int32(g.Step(s, other)), Weight: slip})
					}
					return branches
				}
			}
			return copied.Env()
		},
	})
}

// gridEntry returns what the grid is registered as, and its default parameters.
func gridEntry() (entry envs.RegisteredEnv, env schema.Env, err error) {
	for _, e := range envs.RegisteredEnvs() {
		if e.Name == "grid" {
			entry = e
		}
	}
	env, err = envs.DefaultEnv("grid")
	return entry, env, err
}

// TestGraphIsLikeBuiltin: the grid as a graph of one's own gives the records of the grid, and is
// replayed, compared and listed like it.
func TestGraphIsLikeBuiltin(t *testing.T) {
	ok(t, registerCopy())
	store, err := replay.Create(t.Context(), t.TempDir()+"/podtrack.db")
	ok(t, err)
	for name, change := range map[string]func(*schema.Spec){
		"plain":     func(*schema.Spec) {},
		"slips":     func(s *schema.Spec) { s.Env.Params["slip"] = 100 },
		"episodes":  func(s *schema.Spec) { s.Env.Params["goal"], s.Env.Params["episode"] = 1, 50 },
		"features":  func(s *schema.Spec) { s.Env.Text["observe"] = envs.Coordinates },
		"exact":     func(s *schema.Spec) { s.Learner = schema.Exact },
		"empirical": func(s *schema.Spec) { s.Learner, s.Dataset = schema.Empirical, schema.Cumulative },
		"laplacian": func(s *schema.Spec) { s.Method, s.Select = schema.Laplacian, "top=2" },
		"lspi": func(s *schema.Spec) {
			s.Learner, s.Env.Text["observe"] = schema.LSPI, envs.RowAndColumn
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, env, err := gridEntry()
			ok(t, err)
			spec := pod.NewSpec(env)
			spec.Steps, spec.Kappa = 300, 0.5
			if change(&spec); spec.Learner == schema.Exact {
				spec.Sweeps = 0
			}
			own := spec
			own.Env = own.Env.Clone()
			own.Env.Name = "test.example/grid"
			runs, err := store.RunAll(t.Context(), []replay.Job{{Spec: spec, Target: 2}, {Spec: own, Target: 2}}, 0,
				replay.Options{})
			ok(t, err)
			if runs[0].ID == runs[1].ID {
				t.Fatal("one run")
			}
			var digests [2][]schema.Digest
			for i, run := range runs {
				for k := range run.Iterations {
					options, err := run.Options(t.Context(), k)
					ok(t, err)
					for _, o := range options {
						digests[i] = append(digests[i], o.Record)
					}
				}
				records, err := run.Records(t.Context())
				ok(t, err)
				for _, it := range records.Iterations {
					for _, e := range it.Records {
						digests[i] = append(digests[i], e.Name)
					}
				}
			}
			if diff := cmp.Diff(digests[0], digests[1]); diff != "" {
				t.Errorf("records of the grid, and of its copy: %s", diff)
			}
			result, err := runs[1].Verify(t.Context(), replay.Options{})
			ok(t, err)
			if !result.Identical() {
				t.Errorf("replayed: %+v", result.First)
			}
		})
	}
}

// walker is a simulation with chance, episodes and rewards; its observations are what O says.
type walker[O envs.Observed] struct {
	random *rand.Rand
	at     int
	steps  int
	show   func(at int) O
	fault  func(step int, o *envs.Outcome[O]) error
}

func (w *walker[O]) Reset() (O, error) {
	w.at = w.random.IntN(4)
	return w.show(w.at), nil
}

func (w *walker[O]) Step(action int) (o envs.Outcome[O], err error) {
	if w.random.IntN(5) > 0 {
		w.at = min(max(w.at+2*action-1, 0), 15)
	}
	w.steps++
	o = envs.Outcome[O]{State: w.show(w.at), Reward: float64(w.at) / 4, Terminated: w.at == 15,
		Truncated: w.steps%90 == 0}
	if w.fault != nil {
		err = w.fault(w.steps, &o)
	}
	return o, err
}

// walking returns the simulation.
func walking[O envs.Observed](
	size int, features []string, show func(int) O, fault func(int, *envs.Outcome[O]) error,
) *envs.Simulation[O] {
	return &envs.Simulation[O]{
		Name: "walking", Version: "1", Actions: []string{"back", "on"}, Size: size, Features: features, HasReward: true,
		Parameters: map[string]string{"wind": "0.2"},
		New: func(seed uint64) (envs.Simulator[O], error) {
			return &walker[O]{random: rand.New(rand.NewPCG(seed, 1)), show: show, fault: fault}, nil
		},
	}
}

var bits = []string{"b0", "b1", "b2", "b3"}

func showBits(at int) []bool { return []bool{at&1 > 0, at&2 > 0, at&4 > 0, at&8 > 0} }

func showPlace(at int) []float64 { return []float64{float64(at), -0.5 * float64(at%3)} }

// TestSimulations interrupts runs in simulations of each kind at looks at the context; each reaches the head of an
// uninterrupted run, and is replayed.
func TestSimulations(t *testing.T) {
	number := func(at int) int { return at }
	interruptSimulation(t, walking(16, nil, number, nil))
	interruptSimulation(t, walking(0, bits, showBits, nil))
	interruptSimulation(t, walking(0, []string{"place", "third"}, showPlace, nil))
}

func interruptSimulation[O envs.Observed](t *testing.T, s *envs.Simulation[O]) {
	env, err := s.Env()
	ok(t, err)
	t.Run(string(env.External.Observes), func(t *testing.T) {
		t.Parallel()
		spec := pod.NewSpec(env)
		spec.Steps, spec.Kappa = 640, 0.5
		ok(t, spec.Validate())
		job := replay.Job{Spec: spec, Target: 2}
		calm := newStore(t, tracker.Options{})
		want, looks := runStopped(t, s, calm, job, 0)
		ok(t, want.Err)
		judgeExternal(t, s, calm, want.Run)
		for n := 2; n <= looks; n += 1 + looks/4 {
			store := newStore(t, tracker.Options{})
			if o, _ := runStopped(t, s, store, job, n); !errors.Is(o.Err, replay.ErrInterrupted) {
				t.Fatalf("stopped at look %d: %v", n, o.Err)
			}
			run, err := replay.NewStore(store).Run(t.Context(), job, replay.Options{Launcher: s})
			ok(t, err)
			if run.Head != want.Head || run.Status != tracker.Complete {
				t.Errorf("stopped at look %d: head %s, want %s", n, run.Head, want.Head)
			}
			rewards, err := run.Rewards(t.Context(), 1)
			ok(t, err)
			steps := 0
			for step, err := range run.Steps(t.Context(), 1) {
				ok(t, err)
				if steps++; step.Terminal && rewards[step.T] != 15./4 {
					t.Errorf("step %d ends the episode with the reward %v", step.T, rewards[step.T])
				}
			}
			if steps != 640 || len(rewards) != 640 {
				t.Errorf("%d steps and %d rewards", steps, len(rewards))
			}
		}
	})
}

// TestSimulationFaults: what a simulation must not do ends the run with an error that says what it is,
// and what was recorded before stays.
func TestSimulationFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(step int, o *envs.Outcome[[]float64]) error
		want  string
	}{
		"NaN": {func(_ int, o *envs.Outcome[[]float64]) error { o.State[0] = math.NaN(); return nil },
			`after 699 of 1000 steps: environment "walking": the environment failed: step "back": feature "place" is NaN`},
		"far": {func(_ int, o *envs.Outcome[[]float64]) error { o.State[1] = -1.7e308; return nil },
			`feature "third" is -1.7e+308: beyond ±9.75e+288`},
		"width": {func(_ int, o *envs.Outcome[[]float64]) error { o.State = o.State[:1]; return nil }, "an observation has "},
		"nil":   {func(_ int, o *envs.Outcome[[]float64]) error { o.State = nil; return nil }, "an observation has "},
		"reward": {func(_ int, o *envs.Outcome[[]float64]) error { o.Reward = math.Inf(1); return nil },
			"the reward is not finite: +Inf"},
		"an error": {func(int, *envs.Outcome[[]float64]) error { return errors.New("the motor is hot") },
			"the motor is hot"},
	} {
		t.Run(name, func(t *testing.T) {
			s := walking(0, []string{"place", "third"}, showPlace, func(step int, o *envs.Outcome[[]float64]) error {
				if step < 700 {
					return nil
				}
				return c.fault(step, o)
			})
			env, err := s.Env()
			ok(t, err)
			spec := pod.NewSpec(env)
			spec.Steps, spec.Kappa = 1000, 0.5
			store, err := replay.Create(t.Context(), t.TempDir()+"/podtrack.db")
			ok(t, err)
			run, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: 1}, replay.Options{Launcher: s})
			if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if run == nil || run.Status == tracker.Complete {
				t.Errorf("run %+v", run)
			}
		})
	}
	s := walking(16, nil, func(at int) int { return at }, nil)
	env, err := s.Env()
	ok(t, err)
	store, err := replay.Create(t.Context(), t.TempDir()+"/podtrack.db")
	ok(t, err)
	job := replay.Job{Spec: pod.NewSpec(env), Target: 1}
	if _, err := store.Run(t.Context(), job, replay.Options{}); !errors.Is(err, stages.ErrNoEnvLauncher) ||
		schema.Remedy(err) == "" {
		t.Errorf("without the simulation: %v", err)
	}
	s.Version = "2"
	if _, err := store.Run(t.Context(), job, replay.Options{Launcher: s}); !errors.Is(err, envs.ErrEnvMismatch) {
		t.Errorf("another version: %v", err)
	}
	for name, change := range map[string]func(*envs.Simulation[int]){
		"a built-in name": func(s *envs.Simulation[int]) { s.Name = "grid" },
		"no size":         func(s *envs.Simulation[int]) { s.Size = 0 },
		"features":        func(s *envs.Simulation[int]) { s.Features = []string{"x"} },
		"no New":          func(s *envs.Simulation[int]) { s.New = nil },
		"a field":         func(s *envs.Simulation[int]) { s.Parameters = map[string]string{"kappa": "1"} },
	} {
		other := *s
		change(&other)
		if _, err := other.Env(); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStoreErrors: what is not there is an error of its own kind, and says what to do.
func TestStoreErrors(t *testing.T) {
	store, err := replay.Create(t.Context(), t.TempDir()+"/podtrack.db")
	ok(t, err)
	run, err := store.Run(t.Context(), replay.Job{Spec: small(), Target: 1, Name: "one"}, replay.Options{})
	ok(t, err)
	_, missing := store.Find(t.Context(), "two")
	_, none := replay.Open(t.Context(), t.TempDir()+"/none.db")
	_, beyond := run.Options(t.Context(), 1)
	_, before := run.Factors(t.Context(), -1)
	_, target := store.Run(t.Context(), replay.Job{Spec: small()}, replay.Options{})
	var steps error
	for _, steps = range run.Steps(t.Context(), 7) {
	}
	for what, c := range map[string]struct{ err, want error }{
		"missing": {missing, tracker.ErrMissing}, "no store": {none, tracker.ErrNoStore},
		"beyond": {beyond, tracker.ErrMissing}, "before": {before, tracker.ErrMissing}, "steps": {steps, tracker.ErrMissing},
		"no target": {target, nil},
	} {
		if c.err == nil || c.want != nil && !errors.Is(c.err, c.want) || schema.Remedy(c.err) == "" {
			t.Errorf("%s: %v with remedy %q", what, c.err, schema.Remedy(c.err))
		}
	}
	again, err := run.Continue(t.Context(), 3, replay.Options{})
	ok(t, err)
	for what, change := range map[string]func(*schema.Spec){
		"a map changed":      func(s *schema.Spec) { s.Env.Params["bits"]++ },
		"nothing":            func(*schema.Spec) {},
		"the dataset":        func(s *schema.Spec) { s.Dataset = schema.Cumulative },
		"a method":           func(s *schema.Spec) { s.Method, s.Select = schema.Laplacian, "top=1" },
		"an option too many": func(s *schema.Spec) { s.LeaveOut = []uint64{99} },
	} {
		parent, err := store.Find(t.Context(), "one")
		ok(t, err)
		spec := parent.Spec
		change(&spec)
		if _, err := parent.Fork(t.Context(), 1, spec); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("a fork that changes %s: %v", what, err)
		}
	}
	for _, k := range []int{-1, 0, 4} {
		if _, err := again.Fork(t.Context(), k, small()); !errors.Is(err, tracker.ErrMissing) {
			t.Errorf("a fork before iteration %d: %v", k, err)
		}
	}
	runs, err := store.Runs(t.Context())
	ok(t, err)
	if len(runs) != 1 || again.Iterations != 3 || runs[0].Head != again.Head || run.Iterations != 1 {
		t.Errorf("%d runs, of %d iterations", len(runs), again.Iterations)
	}
	if options, err := run.Options(t.Context(), 0); err != nil || len(options) == 0 {
		t.Errorf("a run that was read before it went on: %d options, %v", len(options), err)
	}
}
