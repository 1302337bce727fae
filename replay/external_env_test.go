package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// elsewhere is an environment that the program does not have: a walk on a circle with slips. Beside the place its
// features show the time, so that nearly every observation is new.
type elsewhere struct {
	cells, clocks int
	forgets       int64 // step, counted from 1 in an iteration, after which it is elsewhere than it was; 0 never
	fails         int64 // step that fails, 0 none

	rewards bool
	richer  int64 // step from which on rewards are larger, 0 never
}

func (e elsewhere) spec(learner schema.Learner) schema.Spec {
	s := pod.PaperSpec()
	x := &schema.External{
		Version: "1", Actions: []string{"back", "on"}, Observes: schema.Real, Features: []string{"place"},
	}
	for i := range e.clocks {
		x.Features = append(x.Features, fmt.Sprint("clock", i))
	}
	x.Size, x.Reward = int64(len(x.Features)), e.rewards
	s.Env = schema.Env{Name: "elsewhere", Params: map[string]int64{}, External: x}
	s.Steps, s.Kappa, s.Learner = 640, 0.5, learner
	if err := s.Validate(); err != nil {
		panic(err)
	}
	return s
}

func (e elsewhere) CheckEnv(context.Context, schema.Env) error { return nil }

func (e elsewhere) Launch(
	_ context.Context, _ schema.Env, seen *envs.ObservedStates, seed uint64, k int,
) (envs.RunningEnv, error) {
	return &there{elsewhere: e, seen: seen, source: rand.NewPCG(seed, uint64(k))}, nil
}

// there is elsewhere during one iteration.
type there struct {
	elsewhere
	seen   *envs.ObservedStates
	source *rand.PCG
	cell   int
	steps  int64
}

func (t *there) see() (int, error) {
	phi := []float64{float64(t.cell)}
	for range t.clocks {
		phi = append(phi, float64(t.steps%500)/8)
	}
	return t.seen.Intern(envs.AppendRealObservation(nil, phi))
}

func (t *there) Reset(context.Context) (int, error) { return t.see() }

func (t *there) Step(_ context.Context, a int) (o envs.StepResult, err error) {
	t.steps++
	if t.steps == t.fails {
		return o, fmt.Errorf("%w: it is gone", envs.ErrEnvFailed)
	}
	if t.source.Uint64()%4 > 0 {
		t.cell = (t.cell + 2*a - 1 + t.cells) % t.cells
	}
	if t.steps == t.forgets {
		t.cell += t.cells
	}
	if t.rewards {
		o.Reward = float64(t.cell%7) / 10
	}
	if t.richer > 0 && t.steps >= t.richer {
		o.Reward += 0.1
	}
	if o.State, err = t.see(); err == nil && t.steps%97 == 0 {
		o.End, t.cell = envs.Truncated, t.cells/2
		o.NextStart, err = t.see()
	}
	return o, err
}

// TestOutsideInterrupted interrupts runs at every look at the context, and continues them by repeating the recorded
// actions, even if a checkpoint has only fingerprints of the observations.
func TestOutsideInterrupted(t *testing.T) {
	for name, c := range map[string]struct {
		elsewhere
		learner schema.Learner
		starts  schema.Start
	}{
		"repeated":     {elsewhere{cells: 30, clocks: 1}, schema.Empirical, ""},
		"weights":      {elsewhere{cells: 60}, schema.LSPI, ""},
		"closed":       {elsewhere{cells: 60}, schema.LSPI, schema.StartObserved},
		"rewards":      {elsewhere{cells: 30, clocks: 1, rewards: true}, schema.Empirical, ""},
		"learner":      {elsewhere{cells: 30, clocks: 1}, schema.QLearning, ""},
		"fingerprints": {elsewhere{cells: 30, clocks: 300}, schema.Empirical, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := replay.Job{Spec: c.spec(c.learner), Target: 2}
			job.Spec.Initiation = c.starts
			if c.clocks > 100 {
				job.Target = 1 // factoring takes its time
			}
			calm := newStore(t, tracker.Options{})
			want, looks := runStopped(t, c.elsewhere, calm, job, 0)
			judgeExternal(t, c.elsewhere, calm, want.Run)
			for n := 2; n <= looks; n += schematest.Size(23, 3) {
				store := newStore(t, tracker.Options{})
				if o, _ := runStopped(t, c.elsewhere, store, job, n); !errors.Is(o.Err, replay.ErrInterrupted) {
					t.Fatalf("stopped at look %d: %v", n, o.Err)
				}
				if o, _ := runStopped(t, c.elsewhere, store, job, 0); o.Err != nil || o.Head != want.Head {
					t.Errorf("stopped at look %d: head %s, %v, want %s", n, o.Head, o.Err, want.Head)
				}
			}
		})
	}
}

// TestMethodsOutsideInterrupted does the same as [TestOutsideInterrupted] for the methods that factor a matrix over
// visited states. Such runs can be compared, and each purpose covers the states that were known when it was found.
func TestMethodsOutsideInterrupted(t *testing.T) {
	world := elsewhere{cells: 60}
	for name, change := range map[string]func(*schema.Spec){
		"laplacian": func(s *schema.Spec) { s.Method, s.Select = schema.Laplacian, "top=3" },
		"successor, cumulative": func(s *schema.Spec) {
			s.Method, s.Select, s.PsiGamma, s.Dataset = schema.Successor, "top=3", 0.8, schema.Cumulative
		},
		"successor, new purposes, q-learning": func(s *schema.Spec) {
			s.Method, s.Select, s.Learner = schema.Successor, "novel=0.9", schema.QLearning
		},
		"laplacian, lspi": func(s *schema.Spec) {
			s.Method, s.Select, s.Learner, s.Kappa = schema.Laplacian, "threshold:rms", schema.LSPI, 0.3
		},
		"features": func(s *schema.Spec) { s.Method, s.Select = schema.SuccessorFeatures, "novel=0.9" },
		"covering, cumulative": func(s *schema.Spec) {
			s.Method, s.Select, s.Dataset = schema.Covering, "top=1", schema.Cumulative
		},
		"counts": func(s *schema.Spec) { s.Method = schema.Counts },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := world.spec(schema.Empirical)
			change(&spec)
			if spec.Method.IsOnStates() {
				spec.StateSet = schema.VisitedStates
			}
			spec.Steps = 200
			ok(t, spec.Validate())
			job := replay.Job{Spec: spec, Target: 3}
			calm := newStore(t, tracker.Options{})
			want, looks := runStopped(t, world, calm, job, 0)
			ok(t, want.Err)
			judgeExternal(t, world, calm, want.Run)
			for n := 2; n <= looks; n += schematest.Size(23, 5) {
				store := newStore(t, tracker.Options{})
				if o, _ := runStopped(t, world, store, job, n); !errors.Is(o.Err, replay.ErrInterrupted) {
					t.Fatalf("stopped at look %d: %v", n, o.Err)
				}
				if o, _ := runStopped(t, world, store, job, 0); o.Err != nil || o.Head != want.Head {
					t.Errorf("stopped at look %d: head %s, %v, want %s", n, o.Head, o.Err, want.Head)
				}
			}
			other := spec
			other.Seed = 1
			o, _ := runStopped(t, world, calm, replay.Job{Spec: other, Target: 3}, 0)
			ok(t, o.Err)
			compareOutside(t, calm, want.Run, o.Run)
		})
	}
}

// compareOutside compares two runs in an environment whose states are observations.
func compareOutside(t *testing.T, store *tracker.Store, a, b schema.Digest) {
	t.Helper()
	var runs []*diff.Side
	for _, id := range []schema.Digest{a, b} {
		r, err := diff.Open(t.Context(), store, id.String())
		ok(t, err)
		runs = append(runs, r)
		for k := range r.Iterations {
			f, purposes, err := r.Selection(k)
			ok(t, err)
			for _, p := range purposes {
				if len(p.Vector) != f.Features() || len(p.Vector) > len(r.Env.Features()) {
					t.Errorf("iteration %d: a purpose of %d entries, of %d", k, len(p.Vector), f.Features())
				}
			}
		}
	}
	for _, pair := range [][2]*diff.Side{{runs[0], runs[1]}, {runs[0], runs[0]}} {
		r, err := diff.CompareRuns(t.Context(), pair[0], pair[1], diff.Limits{})
		ok(t, err)
		if same := pair[0] == pair[1]; r.Equivalent != same && same {
			t.Errorf("a run differs from itself: %+v", r)
		}
		for _, c := range r.Iterations {
			for _, p := range c.Pairs {
				if math.Abs(p.Cosine) > 1 || pair[0] == pair[1] && p.Cosine < 1-1e-9 {
					t.Errorf("%s and %s have the cosine %v", p.A, p.B, p.Cosine)
				}
			}
		}
	}
}

// runStopped runs a job, and stops it at the n-th look at the context, 0 for never. It
// returns how many there were.
func runStopped(
	t *testing.T, launcher replay.EnvLauncher, store *tracker.Store, job replay.Job, n int,
) (out replay.Outcome, looks int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	with := replay.Options{Launcher: launcher, Stages: goldenStages}
	with.Report = func(replay.Event) {
		if looks++; looks == n {
			cancel()
		}
	}
	engine := replay.NewEngine(store, w, with)
	engine.Run(ctx, job, func(o replay.Outcome) { out = o })
	ok(t, w.Close(t.Context()))
	return out, looks
}

// judgeExternal replays a run with its environment, and without it.
func judgeExternal(t *testing.T, launcher replay.EnvLauncher, store *tracker.Store, id schema.Digest) {
	t.Helper()
	run := runOf(t, store, id)
	j, err := replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{Launcher: launcher})
	ok(t, err)
	stages := 4
	if run.Spec.RecordsSelection() {
		stages = 5
	}
	if all := stages * len(j.Iterations); j.Count(replay.Identical) != all {
		t.Errorf("%d of %d stages are identical: %+v", j.Count(replay.Identical), all, j)
	}
	j, err = replay.Verify(t.Context(), store, run, replay.Scope{}, replay.Options{})
	ok(t, err)
	if n := len(j.Iterations); j.Count(replay.Unverified) != n || j.CountWithoutEnv() != n ||
		j.Count(replay.Identical) != (stages-1)*n {
		t.Errorf("without its environment: %+v", j)
	}
}

// TestExternalFailures: an environment that fails leaves a run that can continue, and one that does not repeat its
// steps is detected at the first step that differs.
func TestExternalFailures(t *testing.T) {
	t.Run("observations", func(t *testing.T) { failExternal(t, elsewhere{cells: 30, clocks: 1}, 300, 2) })
	t.Run("fingerprints", func(t *testing.T) { failExternal(t, elsewhere{cells: 30, clocks: 300}, 600, 1) })
}

// failExternal makes the environment fail at a step of the first of several iterations.
func failExternal(t *testing.T, world elsewhere, at int64, target int) {
	job := replay.Job{Spec: world.spec(schema.Empirical), Target: target}
	want, _ := runStopped(t, world, newStore(t, tracker.Options{}), job, 0)
	store := newStore(t, tracker.Options{})
	failing, forgetting := world, world
	failing.fails, forgetting.forgets = at, 17
	if o, _ := runStopped(t, failing, store, job, 0); !errors.Is(o.Err, envs.ErrEnvFailed) {
		t.Fatalf("%v, want ErrWorld", o.Err)
	}
	if status := statusOf(t, store, want.Run); status != tracker.Failed {
		t.Errorf("after a failure the run is %s", status)
	}
	o, _ := runStopped(t, forgetting, store, job, 0)
	if !errors.Is(o.Err, envs.ErrEnvNotRepeatable) || !strings.Contains(o.Err.Error(), "step 16 of iteration 0") ||
		schema.Remedy(o.Err) == "" {
		t.Errorf("%v, want ErrRepeat at step 16", o.Err)
	}
	if o, _ := runStopped(t, nil, store, job, 0); !errors.Is(o.Err, stages.ErrNoEnvLauncher) {
		t.Errorf("%v, want ErrNoWorld", o.Err)
	}
	if o, _ := runStopped(t, world, store, job, 0); o.Err != nil || o.Head != want.Head {
		t.Errorf("head %s, %v, want %s", o.Head, o.Err, want.Head)
	}
	j, err := replay.Verify(t.Context(), store, runOf(t, store, want.Run), replay.Scope{},
		replay.Options{Launcher: forgetting})
	ok(t, err)
	if j.First == nil || j.First.Stage != stages.Collect || j.Count(replay.Different) != target ||
		j.Count(replay.Identical) != 3*target {
		t.Errorf("a replay elsewhere: %+v", j)
	}
}

func statusOf(t *testing.T, store *tracker.Store, id schema.Digest) tracker.Status {
	t.Helper()
	run, err := replay.NewStore(store).Find(t.Context(), id.String())
	ok(t, err)
	return run.Status
}
