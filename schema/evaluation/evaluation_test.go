package evaluation_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// TestEvaluationSpec changes one field at a time.
func TestEvaluationSpec(t *testing.T) {
	for name, spoil := range map[string]func(*evaluation.Spec){
		"version":      func(s *evaluation.Spec) { s.Version = 2 },
		"goal":         func(s *evaluation.Spec) { s.Goal = -1 },
		"start":        func(s *evaluation.Spec) { s.Start = -2 },
		"algorithm":    func(s *evaluation.Spec) { s.Algorithm = "sarsa" },
		"episodes":     func(s *evaluation.Spec) { s.Episodes = 0 },
		"limit":        func(s *evaluation.Spec) { s.Limit = 0 },
		"alpha":        func(s *evaluation.Spec) { s.Alpha = 0 },
		"alpha, NaN":   func(s *evaluation.Spec) { s.Alpha = math.NaN() },
		"epsilon":      func(s *evaluation.Spec) { s.Epsilon = 1.5 },
		"gamma":        func(s *evaluation.Spec) { s.Gamma = 1 },
		"no seeds":     func(s *evaluation.Spec) { s.Seeds = nil },
		"a seed twice": func(s *evaluation.Spec) { s.Seeds = []uint64{1, 1} },
		"seeds' order": func(s *evaluation.Spec) { s.Seeds = []uint64{2, 1} },
		"published, interrupted": func(s *evaluation.Spec) {
			s.Algorithm, s.Interrupt = evaluation.Published, true
		},
		"tasks' first": func(s *evaluation.Spec) { s.Tasks = []evaluation.TaskStates{{Goal: 4, Start: -1}} },
		"tasks' order": func(s *evaluation.Spec) {
			s.Tasks = []evaluation.TaskStates{{Goal: 3, Start: -1}, {Goal: 2, Start: -1}}
		},
		"a task twice": func(s *evaluation.Spec) {
			s.Tasks = []evaluation.TaskStates{{Goal: 3, Start: -1}, {Goal: 3, Start: -1}}
		},
		"a task's start": func(s *evaluation.Spec) {
			s.Tasks = []evaluation.TaskStates{{Goal: 3, Start: -1}, {Goal: 4, Start: -2}}
		},
		"too many tasks": func(s *evaluation.Spec) {
			for i := range evaluation.MaxTasks + 1 {
				s.Tasks = append(s.Tasks, evaluation.TaskStates{Goal: 3 + i, Start: -1})
			}
		},
		"a reward of a known model": func(s *evaluation.Spec) { s.Goal, s.Reward = 0, true },
		"model":                     func(s *evaluation.Spec) { s.Model = "program" },
		"a reward beside a goal":    func(s *evaluation.Spec) { s.Model, s.Reward = evaluation.EmpiricalModel, true },
		"a reward and tasks": func(s *evaluation.Spec) {
			*s = s.NewTasks([]evaluation.TaskStates{{Goal: 0, Start: 1}, {Goal: 2, Start: 1}})
			s.Model, s.Reward = evaluation.EmpiricalModel, true
		},
		"baselines": func(s *evaluation.Spec) { s.Against = []string{"nothing"} },
		"baselines' order": func(s *evaluation.Spec) {
			s.Against = []string{evaluation.AgainstRandom, evaluation.AgainstPrimitives}
		},
	} {
		spec := evaluation.DefaultSpec(3)
		spoil(&spec)
		if err := spec.Validate(); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := (evaluation.Record{Spec: spec}).Encode(); err == nil {
			t.Errorf("%s: encoded as %x", name, b)
		}
	}
	spec := evaluation.DefaultSpec(3)
	if err := spec.Validate(); err != nil {
		t.Error(err)
	}
}

// TestArms are in the order in which their curves are recorded.
func TestArms(t *testing.T) {
	spec := evaluation.DefaultSpec(0)
	if diff := cmp.Diff([]string{"options", "primitives", "random-own"}, spec.Arms()); diff != "" {
		t.Error(diff)
	}
	e := evaluation.Record{Spec: evaluation.Spec{Seeds: []uint64{1, 2}, Episodes: 3},
		Steps: []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
	if diff := cmp.Diff([]uint32{9, 10, 11}, e.Curve(1, 1)); diff != "" {
		t.Error(diff)
	}
}

// TestEvaluationDigest: the link and every field of the spec count.
func TestEvaluationDigest(t *testing.T) {
	spec := evaluation.DefaultSpec(3)
	first, err := evaluation.Digest(schema.Digest{1}, spec)
	if err != nil {
		t.Fatal(err)
	}
	if want := "9c0c18d6ab6ed8cf90fe50c073ed76c5dde7c0c90a9bbbf32118eb0b61884557"; first.String() != want {
		t.Errorf("digest %s, want %s", first, want)
	}
	other, err := evaluation.Digest(schema.Digest{2}, spec)
	if err != nil || first == other {
		t.Error("another link has the same digest", err)
	}
	spec.All = true
	if other, err = evaluation.Digest(schema.Digest{1}, spec); err != nil || first == other {
		t.Error("another spec has the same digest", err)
	}
}

// TestTasksOfMany: tasks are put in order, and each has its curves.
func TestTasksOfMany(t *testing.T) {
	spec := evaluation.DefaultSpec(7)
	spec.Seeds, spec.Episodes, spec.Against = []uint64{0}, 2, []string{}
	spec = spec.NewTasks([]evaluation.TaskStates{
		{Goal: 4, Start: 1}, {Goal: 2, Start: 3}, {Goal: 4, Start: 0}, {Goal: 2, Start: 3},
	})
	e := evaluation.Record{Spec: spec, Options: 1, Steps: []uint32{1, 2, 3, 4, 5, 6}}
	if _, err := e.Encode(); err != nil {
		t.Fatal(err)
	}
	if spec.Goal != 2 || spec.Start != 3 {
		t.Errorf("goal %d, start %d", spec.Goal, spec.Start)
	}
	second := e.Task(1)
	diff := cmp.Diff([]uint32{3, 4}, second.Curve(0, 0))
	if diff != "" || second.Spec.Goal != 4 || second.Spec.Start != 0 || second.Spec.Tasks != nil {
		t.Errorf("the second task is %+v: %s", second.Spec, diff)
	}
}
