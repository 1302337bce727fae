package task

import (
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	train := func(states int) error {
		_, err := Train(t.Context(), ActionSet{Model: &envs.Model{States: states, Actions: 1}}, Task{}, Training{}, 0, nil)
		return err
	}
	diffuse := func(states int) error { // in a circle, where every state is reached
		return checkDiffusible(modelOf(t, states, func(s, _ int) int { return (s + 1) % states }))
	}
	schematest.Limits{
		{"states of a diffusion", "up to 1024", diffuse(1024), diffuse(1025)},
		{"entries of a table", "may have 67108864 entries", train(maxTableEntries), train(maxTableEntries + 1)},
	}.Check(t)
}

// modelOf returns a model of one action, which leads where step says.
func modelOf(t *testing.T, states int, step func(s, a int) int) *envs.Model {
	t.Helper()
	env, err := envs.Graph{States: states, Actions: []string{"go"}, Step: step}.Env()
	schematest.Must(t, err)
	return env.Model()
}

// TestSpecLimits is TestLimits for specs of evaluations.
func TestSpecLimits(t *testing.T) {
	of := func(change func(*Spec)) error {
		s := DefaultSpec(0)
		change(&s)
		return s.Validate()
	}
	episodes := func(n int) error { return of(func(s *Spec) { s.Episodes = n }) }
	limit := func(n int64) error { return of(func(s *Spec) { s.Limit = n }) }
	seeds := func(n int) error {
		return of(func(s *Spec) {
			s.Seeds = nil
			for i := range n {
				s.Seeds = append(s.Seeds, uint64(i))
			}
		})
	}
	tasks := func(n int) error {
		return of(func(s *Spec) {
			for i := range n {
				s.Tasks = append(s.Tasks, TaskStates{Goal: i, Start: AnyStart})
			}
		})
	}
	goal := func(n int) error { return of(func(s *Spec) { s.Goal = n }) }
	start := func(n int) error { return of(func(s *Spec) { s.Start = n }) }
	second := func(goal, start int) error {
		return of(func(s *Spec) { s.Tasks = []TaskStates{{Goal: s.Goal, Start: s.Start}, {Goal: goal, Start: start}} })
	}
	schematest.Limits{
		{"episodes", "1 to 1048576", episodes(1 << 20), episodes(1<<20 + 1)},
		{"an episode", "1 to", episodes(1), episodes(0)},
		{"steps of an episode", "2147483648 steps", limit(1 << 31), limit(1<<31 + 1)},
		{"a step", "1 to", limit(1), limit(0)},
		{"seeds", "1 to 4096 seeds", seeds(1 << 12), seeds(1<<12 + 1)},
		{"a seed", "1 to", seeds(1), seeds(0)},
		{"tasks", "up to 16384 tasks", tasks(1 << 14), tasks(1<<14 + 1)},
		{"a goal", `goal "2147483648"`, goal(math.MaxInt32), goal(math.MaxInt32 + 1)},
		{"a start", `start "2147483648"`, start(math.MaxInt32), start(math.MaxInt32 + 1)},
		{"the goal of a task", "2147483648 from 0", second(math.MaxInt32, 0), second(math.MaxInt32+1, 0)},
		{"the start of a task", "1 from 2147483648", second(1, math.MaxInt32), second(1, math.MaxInt32+1)},
	}.Check(t)
}

// TestPassedStatesAreBounded: of a long call the latest states are kept.
func TestPassedStatesAreBounded(t *testing.T) {
	passed := func(n int) int {
		l := &qAgent{training: Training{Interrupt: true, Algorithm: SMDP}}
		for range n {
			l.notePassed(move{})
		}
		return len(l.passed)
	}
	if passed(maxPassed) != maxPassed || passed(maxPassed+1) != 1 {
		t.Errorf("%d at the limit, %d beyond", passed(maxPassed), passed(maxPassed+1))
	}
}

// TestDiffusionNamesWhatIsNotReached: of two states, the second leads to the first, and nothing leads back.
func TestDiffusionNamesWhatIsNotReached(t *testing.T) {
	for _, c := range []struct {
		next [2]int
		want string
	}{
		{[2]int{0, 0}, "from state 0 to state 1"},
		{[2]int{1, 1}, "from state 1 to state 0"},
		{[2]int{1, 0}, ""},
	} {
		err := checkDiffusible(modelOf(t, 2, func(s, _ int) int { return c.next[s] }))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.next, err, c.want)
		}
	}
}
