package evaluate_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

var ok = schematest.Must

// rooms returns a run in four rooms, of two iterations of many steps with a few large
// eigenpurposes.
func rooms(t testing.TB) (*tracker.Store, tracker.Run) {
	t.Helper()
	spec := inRooms(t)
	spec.Steps, spec.Kappa = 500, 1.5
	return recorded(t, spec, 2)
}

// recorded returns a run in a store of its own.
func recorded(t testing.TB, spec schema.Spec, iterations int) (*tracker.Store, tracker.Run) {
	t.Helper()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	var run tracker.Run
	replay.NewEngine(store, w, replay.Options{}).Run(t.Context(), replay.Job{Spec: spec, Target: iterations},
		func(o replay.Outcome) {
			ok(t, o.Err)
			ok(t, store.View(context.Background(), func(tx *tracker.Tx) (err error) {
				run, err = tx.ReadRun(o.Run)
				return err
			}))
		})
	ok(t, w.Close(context.Background()))
	return store, run
}

func open(t testing.TB, store *tracker.Store, run tracker.Run, choice evaluate.Choice) *evaluate.Subject {
	t.Helper()
	s, err := evaluate.Open(t.Context(), store, run, choice)
	ok(t, err)
	return s
}

// toGoal returns a short evaluation of the way from S to G.
func toGoal(t testing.TB, s *evaluate.Subject, seeds int) task.Spec {
	t.Helper()
	spec := task.DefaultSpec(0)
	ok(t, evaluate.ParseTask(s.Env, "goal=goal,start=start", &spec))
	spec.Seeds, spec.Episodes = nil, 60
	for seed := range seeds {
		spec.Seeds = append(spec.Seeds, uint64(seed))
	}
	return spec
}

// TestEvaluationsAreTheSameAnywhere, on one processor as on many.
func TestEvaluationsAreTheSameAnywhere(t *testing.T) {
	store, run := rooms(t)
	s := open(t, store, run, evaluate.Choice{Iteration: new(0)})
	spec := toGoal(t, s, 3)
	spec.Interrupt = true
	first, err := s.Evaluate(t.Context(), spec, nil)
	ok(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := s.Evaluate(t.Context(), spec, nil)
	ok(t, err)
	if !slices.Equal(first.Steps, again.Steps) {
		t.Error("another number of processors gives other curves")
	}
}

// TestOneTask sums up curves that are given: two seeds, ten episodes, γ = ½.
func TestOneTask(t *testing.T) {
	spec := task.DefaultSpec(0)
	spec.Gamma, spec.Limit, spec.Episodes, spec.Seeds, spec.Against = 0.5, 8, 10, []uint64{0, 1},
		[]string{task.AgainstPrimitives}
	e := evaluate.Result{Spec: spec, Steps: []uint32{
		1, 2, 2, 2, 2, 2, 2, 2, 2, 3,
		0, 2, 2, 2, 2, 2, 2, 2, 2, 1,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
	}}
	store, run := rooms(t)
	var sum evaluate.Aggregator
	ok(t, sum.Add(open(t, store, run, evaluate.Choice{}), e, "a"))
	s := sum.Summary()
	options, primitives := s.Arms[0], s.Arms[1]
	for what, v := range map[string]struct {
		got  *stats.Estimate
		want float64
	}{
		"early steps":    {options.EarlySteps, (1 + 8) / 2.},
		"late steps":     {options.LateSteps, (3 + 1) / 2.},
		"area":           {options.Area, (0.525 + 0.5) / 2.},
		"reached":        {options.Reached, 0.95},
		"difference":     {primitives.Against.Area, (0.475 + 0.45) / 2.},
		"second return":  {s.Curves[0].Return[1], 0.5},
		"the last steps": {s.Curves[1].Steps[9], 2},
	} {
		if d := v.got.Value - v.want; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %v, want %v", what, v.got.Value, v.want)
		}
	}
	if options.Against != nil || s.Window != 1 || !slices.Equal(options.Steps[1], e.Steps[10:20]) {
		t.Errorf("%v, window %d, steps %v", options.Against, s.Window, options.Steps)
	}
}

// TestCurveEpisodes: a curve has at most 50 points, and the last one ends with the last episode.
func TestCurveEpisodes(t *testing.T) {
	for episodes, want := range map[int][3]int{1: {1, 1, 1}, 50: {50, 1, 50}, 51: {26, 2, 51}, 200: {50, 4, 200}} {
		last := evaluate.Summary{Spec: task.Spec{Episodes: episodes}}.CurveEpisodes()
		if got := [3]int{len(last), last[0], last[len(last)-1]}; got != want {
			t.Errorf("%d episodes: %v, want %v", episodes, got, want)
		}
	}
}

// TestTasks are read as people write them.
func TestTasks(t *testing.T) {
	grid, err := envs.DefaultEnv("grid")
	ok(t, err)
	g, err := envs.NewEnv(grid)
	ok(t, err)
	ring, err := envs.NewEnv(pod.PaperSpec().Env)
	ok(t, err)
	for text, want := range map[string][2]int{"goal=goal": {9, task.AnyStart}, "start=start,goal=r1c11": {9, 94},
		"goal=0,start=103": {0, 103}} {
		spec := task.DefaultSpec(0)
		if err := evaluate.ParseTask(g, text, &spec); err != nil || spec.Goal != want[0] || spec.Start != want[1] {
			t.Errorf("%s: goal %d, start %d, %v", text, spec.Goal, spec.Start, err)
		}
	}
	for _, text := range []string{"", "goal", "start=3", "goal=3,goal=4", "goal=104", "goal=-1", "goal=r0c0",
		"goal=r99999c1", "goal=3,stop=4", "goal=3,"} {
		spec := task.DefaultSpec(0)
		if err := evaluate.ParseTask(g, text, &spec); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	spec := task.DefaultSpec(0)
	if err := evaluate.ParseTask(ring, "goal=r1c1", &spec); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a place on the ring: %v", err)
	}
	if name := envs.FormatState(g, 9); name != "r1c11" {
		t.Errorf("state 9 is %s", name)
	}
}
