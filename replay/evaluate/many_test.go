package evaluate_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// everyGoal returns a short evaluation of every goal from S.
func everyGoal(t testing.TB, s *evaluate.Subject) task.Spec {
	t.Helper()
	spec := task.DefaultSpec(0)
	ok(t, evaluate.ParseTask(s.Env, "all,start=start", &spec))
	spec.Seeds, spec.Episodes, spec.Limit = []uint64{0, 4}, 10, 200
	return spec
}

// TestManyTasksAreEachAlone: the episodes of a task among many are those of an evaluation of it alone.
func TestManyTasksAreEachAlone(t *testing.T) {
	store, run := rooms(t)
	s := open(t, store, run, evaluate.Choice{Iteration: new(0)})
	spec := everyGoal(t, s)
	if len(spec.Tasks) != 103 {
		t.Fatalf("%d tasks", len(spec.Tasks))
	}
	many, err := s.Evaluate(t.Context(), spec, nil)
	ok(t, err)
	for _, i := range []int{0, 9, 102} {
		one, err := s.Evaluate(t.Context(), spec.Of(spec.Tasks[i]), nil)
		ok(t, err)
		if !slices.Equal(many.Task(i).Steps, one.Steps) {
			t.Errorf("task %d is learned otherwise among others", i)
		}
	}
}

// TestClearly: a task counts as clearly better where the difference is settled among all tasks. Over five seeds the
// first task is 2, 2, 2, 2 and 1 steps faster: t = 9 with 4 degrees of freedom, p = 0.0008. The second is faster by 0,
// 0, 2, 2 and 2: t = 2.45, p = 0.07; the third by 1, 2, 2, 2 and 5: t = 3.54, p = 0.024, which is 0.048 after Holm's
// correction, beside an interval at 98.3 % from −0.28 on.
func TestClearly(t *testing.T) {
	store, run := rooms(t)
	s := open(t, store, run, evaluate.Choice{Iteration: new(0)})
	spec := task.DefaultSpec(0)
	spec.Limit, spec.Episodes, spec.Seeds = 8, 10, []uint64{0, 1, 2, 3, 4}
	spec.Against = []string{task.AgainstPrimitives}
	spec = spec.NewTasks([]task.TaskStates{{Goal: 1, Start: 0}, {Goal: 3, Start: 0}, {Goal: 2, Start: 0}})
	e := evaluate.Result{Spec: spec}
	for _, faster := range [][]uint32{{2, 2, 2, 2, 1}, {0, 0, 2, 2, 2}, {1, 2, 2, 2, 5}} {
		for _, n := range faster {
			e.Steps = append(e.Steps, slices.Repeat([]uint32{6 - n}, 10)...)
		}
		e.Steps = append(e.Steps, slices.Repeat([]uint32{6}, 50)...)
	}
	var m evaluate.Aggregator
	ok(t, m.Add(s, e, "a"))
	if w := m.Summary().Arms[1].Against.WinsEarly; w.Better != 1 || w.Worse != 0 {
		t.Errorf("clearly better in %d and worse in %d of 3 tasks, want 1 and 0", w.Better, w.Worse)
	}
}

// TestSummary sums up curves that are given: two tasks, two seeds, ten episodes, γ = ½. With options
// the first goal takes 2 steps, with seed 1 it takes 4; the second takes 4 steps. Without them it is 4
// steps, and 2.
func TestSummary(t *testing.T) {
	store, run := rooms(t)
	s := open(t, store, run, evaluate.Choice{Iteration: new(0)})
	spec := task.DefaultSpec(0)
	spec.Gamma, spec.Limit, spec.Episodes, spec.Seeds = 0.5, 8, 10, []uint64{0, 1}
	spec.Against = []string{task.AgainstPrimitives}
	spec = spec.NewTasks([]task.TaskStates{{Goal: 1, Start: 0}, {Goal: 3, Start: 0}}) // 1 and 3 steps away
	ten := func(n uint32) []uint32 { return slices.Repeat([]uint32{n}, 10) }
	e := evaluate.Result{Spec: spec, Steps: slices.Concat(
		ten(2), ten(4), ten(4), ten(4), // the first goal: options, actions
		ten(4), ten(4), ten(2), ten(2),
	)}
	var m evaluate.Aggregator
	ok(t, m.Add(s, e, "a"))
	sum := m.Summary()
	options, x := sum.Arms[0], sum.Arms[1].Against
	for what, v := range map[string][2]float64{
		"early": {options.EarlySteps.Value, 3.5}, "low": {*options.EarlySteps.Low, 0}, // 3.5 − 12.7·½, clipped
		"difference": {x.EarlySteps.Value, 0.5}, "area": {options.Area.Value, (0.5+0.125)/4 + 0.125/2},
		"wins": {x.WinsEarly.Share.Value, 0.5}, "better": {float64(x.WinsEarly.Better), 0},
		"worse": {float64(x.WinsEarly.Worse), 0}, "worse in area": {float64(x.WinsArea.Worse), 0}, // nothing varies
		"bound": {sum.Bound.Steps, 2}, "return": {sum.Bound.Return, (1 + 0.25) / 2},
		"shortest": {sum.Tasks[1].Shortest, 3}, "of a task": {sum.Tasks[0].Arms[0].EarlySteps, 3},
		"reached": {options.Reached.Value, 1},
	} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, v[0], v[1])
		}
	}
	// Seeds differ by 0 and by −3/16: −3/32 ± 12.7·3/32, clipped to what returns can be.
	if got := sum.Verdict(); got != "By area, the mean return of all episodes, options differ from primitive actions by "+
		"-0.0938 [-1.0000, 1.0000], better for 50 % of 2 tasks (clearly for 0, clearly worse for 0)." {
		t.Error(got)
	}
	sum.Arms, sum.Tasks = sum.Arms[:1], sum.Tasks[:1]
	if got := sum.Verdict(); got != "" {
		t.Error(got)
	}
	if x.WinsEarly.Share.Low != nil {
		t.Error("the wins of one run have an interval")
	}
	// A second run has the same curves: between runs there is no spread.
	ok(t, m.Add(s, e, "b"))
	if again := m.Summary(); again.Arms[0].EarlySteps.Value != 3.5 || again.Arms[1].Against.WinsEarly.Share.Low == nil ||
		len(again.Runs) != 2 {
		t.Errorf("two runs: %+v", again.Arms[0].EarlySteps)
	}
	var c stats.Crossed
	c.Add([]float64{3, 4})
	c.Add([]float64{3, 4})
	if got, want := m.Summary().Arms[0].EarlySteps, c.Estimate().Within(0, 8); *got.High != *want.High {
		t.Errorf("interval up to %v, want %v", *got.High, *want.High)
	}
}

// TestEveryGoal: there is a task for each goal that can be reached.
func TestEveryGoal(t *testing.T) {
	grid, err := envs.DefaultEnv("grid")
	ok(t, err)
	g, err := envs.NewEnv(grid)
	ok(t, err)
	for text, want := range map[string]int{"all": 104, "all,start=r1c1": 103, "all,start=goal": 103} {
		spec := task.DefaultSpec(0)
		if err := evaluate.ParseTask(g, text, &spec); err != nil || len(spec.Tasks) != want || spec.Validate() != nil {
			t.Errorf("%s: %d tasks, %v", text, len(spec.Tasks), err)
		}
	}
	for _, text := range []string{"all,goal=3", "all,", "all,start=r0c0", "all,start=1,start=2", "all,start"} {
		spec := task.DefaultSpec(0)
		if err := evaluate.ParseTask(g, text, &spec); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}
