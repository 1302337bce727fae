package evaluate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// TestEmpiricalEnv: the model of transitions that are given. Chances are shares of counts, an end of an
// episode counts like any other step, and what was not tried leads nowhere else.
func TestEmpiricalEnv(t *testing.T) {
	env, err := envs.NewEnv(schema.Env{Name: "elsewhere", External: &schema.External{Version: "1",
		Actions: []string{"a", "b"}, Observes: schema.Discrete, Size: 4}})
	if err != nil {
		t.Fatal(err)
	}
	x := env.(*envs.External)
	for _, n := range []byte{2, 0, 3} {
		if _, err := x.Intern([]byte{n, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	s, got := Subject{Records: &recorded.Records{}}, []string(nil)
	s.actIn(x, envs.TransitionCounts{
		{Transition: envs.Transition{State: 0, Action: 0, Next: 0}, Count: 1},
		{Transition: envs.Transition{State: 0, Action: 0, Next: 1}, Count: 2},
		{Transition: envs.Transition{State: 0, Action: 0, Next: 1, Terminal: true}, Count: 1},
		{Transition: envs.Transition{State: 1, Action: 1, Next: 2, Terminal: true}, Count: 5},
	})
	e, _ := s.Env.(envs.ModelEnv)
	for s := range e.States() {
		for a := range e.Actions() {
			e.Model().VisitSuccessors(s, a, func(n envs.Successor) {
				got = append(got, fmt.Sprintf("%d,%d→%d %g", s, a, n.Next, n.P))
			})
		}
	}
	want := []string{"0,0→0 0.25", "0,0→1 0.75", "0,1→0 1", "1,0→1 1", "1,1→2 1", "2,0→2 1", "2,1→2 1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if *s.empirical != (Empirical{States: 3, Transitions: 4, Steps: 9}) || e.Deterministic() {
		t.Errorf("%+v", *s.empirical)
	}
	if _, err := task.NewActionSet(e, nil); err != nil {
		t.Error(err)
	}
	if own, ok := envs.As[*envs.External](e); !ok || own.StateText(2) != "3" {
		t.Error("it does not show the observations")
	}
	task, err := task.NewTask(e.Model(), 2, 0, 0.5, 10)
	if err != nil {
		t.Fatal(err)
	}
	if steps, value := task.Bound(); steps != 2 || value != 0.5 {
		t.Errorf("the goal is %v steps away, and worth %v", steps, value)
	}
}
