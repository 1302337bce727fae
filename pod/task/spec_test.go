package task_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
)

// TestEvaluationSpec changes one field at a time.
func TestEvaluationSpec(t *testing.T) {
	for name, spoil := range map[string]func(*task.Spec){
		"goal":         func(s *task.Spec) { s.Goal = -1 },
		"start":        func(s *task.Spec) { s.Start = -2 },
		"algorithm":    func(s *task.Spec) { s.Algorithm = "sarsa" },
		"episodes":     func(s *task.Spec) { s.Episodes = 0 },
		"limit":        func(s *task.Spec) { s.Limit = 0 },
		"alpha":        func(s *task.Spec) { s.Alpha = 0 },
		"alpha, NaN":   func(s *task.Spec) { s.Alpha = math.NaN() },
		"epsilon":      func(s *task.Spec) { s.Epsilon = 1.5 },
		"gamma":        func(s *task.Spec) { s.Gamma = 1 },
		"no seeds":     func(s *task.Spec) { s.Seeds = nil },
		"a seed twice": func(s *task.Spec) { s.Seeds = []uint64{1, 1} },
		"seeds' order": func(s *task.Spec) { s.Seeds = []uint64{2, 1} },
		"published, interrupted": func(s *task.Spec) {
			s.Algorithm, s.Interrupt = task.Published, true
		},
		"tasks' first": func(s *task.Spec) { s.Tasks = []task.TaskStates{{Goal: 4, Start: -1}} },
		"tasks' order": func(s *task.Spec) {
			s.Tasks = []task.TaskStates{{Goal: 3, Start: -1}, {Goal: 2, Start: -1}}
		},
		"a task twice": func(s *task.Spec) {
			s.Tasks = []task.TaskStates{{Goal: 3, Start: -1}, {Goal: 3, Start: -1}}
		},
		"a task's start": func(s *task.Spec) {
			s.Tasks = []task.TaskStates{{Goal: 3, Start: -1}, {Goal: 4, Start: -2}}
		},
		"too many tasks": func(s *task.Spec) {
			for i := range task.MaxTasks + 1 {
				s.Tasks = append(s.Tasks, task.TaskStates{Goal: 3 + i, Start: -1})
			}
		},
		"baselines": func(s *task.Spec) { s.Against = []string{"nothing"} },
		"baselines' order": func(s *task.Spec) {
			s.Against = []string{task.AgainstRandom, task.AgainstPrimitives}
		},
	} {
		spec := task.DefaultSpec(3)
		spoil(&spec)
		if err := spec.Validate(); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	spec := task.DefaultSpec(3)
	if err := spec.Validate(); err != nil {
		t.Error(err)
	}
}

// TestArms are in the order of their curves.
func TestArms(t *testing.T) {
	spec := task.DefaultSpec(0)
	if diff := cmp.Diff([]string{"options", "primitives", "random-own"}, spec.Arms()); diff != "" {
		t.Error(diff)
	}
}

// TestTasksOfMany: tasks are put in order, each of them once.
func TestTasksOfMany(t *testing.T) {
	spec := task.DefaultSpec(7)
	spec.Seeds, spec.Episodes, spec.Against = []uint64{0}, 2, []string{}
	spec = spec.NewTasks([]task.TaskStates{
		{Goal: 4, Start: 1}, {Goal: 2, Start: 3}, {Goal: 4, Start: 0}, {Goal: 2, Start: 3},
	})
	if spec.Goal != 2 || spec.Start != 3 {
		t.Errorf("goal %d, start %d", spec.Goal, spec.Start)
	}
	want := []task.TaskStates{{Goal: 2, Start: 3}, {Goal: 4, Start: 0}, {Goal: 4, Start: 1}}
	if diff := cmp.Diff(want, spec.AllTasks()); diff != "" || spec.Of(spec.Tasks[1]).Goal != 4 {
		t.Error(diff)
	}
}
