package schema_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
)

// TestEvaluationSpec changes one field at a time.
func TestEvaluationSpec(t *testing.T) {
	for name, spoil := range map[string]func(*schema.EvaluationSpec){
		"version":      func(s *schema.EvaluationSpec) { s.Version = 2 },
		"goal":         func(s *schema.EvaluationSpec) { s.Goal = -1 },
		"start":        func(s *schema.EvaluationSpec) { s.Start = -2 },
		"algorithm":    func(s *schema.EvaluationSpec) { s.Algorithm = "sarsa" },
		"episodes":     func(s *schema.EvaluationSpec) { s.Episodes = 0 },
		"limit":        func(s *schema.EvaluationSpec) { s.Limit = 0 },
		"alpha":        func(s *schema.EvaluationSpec) { s.Alpha = 0 },
		"alpha, NaN":   func(s *schema.EvaluationSpec) { s.Alpha = math.NaN() },
		"epsilon":      func(s *schema.EvaluationSpec) { s.Epsilon = 1.5 },
		"gamma":        func(s *schema.EvaluationSpec) { s.Gamma = 1 },
		"no seeds":     func(s *schema.EvaluationSpec) { s.Seeds = nil },
		"a seed twice": func(s *schema.EvaluationSpec) { s.Seeds = []uint64{1, 1} },
		"seeds' order": func(s *schema.EvaluationSpec) { s.Seeds = []uint64{2, 1} },
		"published, interrupted": func(s *schema.EvaluationSpec) {
			s.Algorithm, s.Interrupt = schema.Published, true
		},
		"tasks' first": func(s *schema.EvaluationSpec) { s.Tasks = []schema.TaskStates{{Goal: 4, Start: -1}} },
		"tasks' order": func(s *schema.EvaluationSpec) {
			s.Tasks = []schema.TaskStates{{Goal: 3, Start: -1}, {Goal: 2, Start: -1}}
		},
		"a task twice": func(s *schema.EvaluationSpec) {
			s.Tasks = []schema.TaskStates{{Goal: 3, Start: -1}, {Goal: 3, Start: -1}}
		},
		"a task's start": func(s *schema.EvaluationSpec) {
			s.Tasks = []schema.TaskStates{{Goal: 3, Start: -1}, {Goal: 4, Start: -2}}
		},
		"too many tasks": func(s *schema.EvaluationSpec) {
			for i := range schema.MaxTasks + 1 {
				s.Tasks = append(s.Tasks, schema.TaskStates{Goal: 3 + i, Start: -1})
			}
		},
		"a reward of a known model": func(s *schema.EvaluationSpec) { s.Goal, s.Reward = 0, true },
		"model":                     func(s *schema.EvaluationSpec) { s.Model = "program" },
		"a reward beside a goal":    func(s *schema.EvaluationSpec) { s.Model, s.Reward = schema.EmpiricalModel, true },
		"a reward and tasks": func(s *schema.EvaluationSpec) {
			*s = s.NewTasks([]schema.TaskStates{{Goal: 0, Start: 1}, {Goal: 2, Start: 1}})
			s.Model, s.Reward = schema.EmpiricalModel, true
		},
		"baselines": func(s *schema.EvaluationSpec) { s.Against = []string{"nothing"} },
		"baselines' order": func(s *schema.EvaluationSpec) {
			s.Against = []string{schema.AgainstRandom, schema.AgainstPrimitives}
		},
	} {
		spec := schema.DefaultEvaluation(3)
		spoil(&spec)
		if err := spec.Validate(); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := (schema.Evaluation{Spec: spec}).Encode(); err == nil {
			t.Errorf("%s: encoded as %x", name, b)
		}
	}
	spec := schema.DefaultEvaluation(3)
	if err := spec.Validate(); err != nil {
		t.Error(err)
	}
}

// TestArms are in the order in which their curves are recorded.
func TestArms(t *testing.T) {
	spec := schema.DefaultEvaluation(0)
	if diff := cmp.Diff([]string{"options", "primitives", "random-own"}, spec.Arms()); diff != "" {
		t.Error(diff)
	}
	e := schema.Evaluation{Spec: schema.EvaluationSpec{Seeds: []uint64{1, 2}, Episodes: 3},
		Steps: []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
	if diff := cmp.Diff([]uint32{9, 10, 11}, e.Curve(1, 1)); diff != "" {
		t.Error(diff)
	}
}

// TestEvaluationDigest: the link and every field of the spec count.
func TestEvaluationDigest(t *testing.T) {
	spec := schema.DefaultEvaluation(3)
	first, err := schema.EvaluationDigest(schema.Digest{1}, spec)
	if err != nil {
		t.Fatal(err)
	}
	if want := "9c0c18d6ab6ed8cf90fe50c073ed76c5dde7c0c90a9bbbf32118eb0b61884557"; first.String() != want {
		t.Errorf("digest %s, want %s", first, want)
	}
	other, err := schema.EvaluationDigest(schema.Digest{2}, spec)
	if err != nil || first == other {
		t.Error("another link has the same digest", err)
	}
	spec.All = true
	if other, err = schema.EvaluationDigest(schema.Digest{1}, spec); err != nil || first == other {
		t.Error("another spec has the same digest", err)
	}
}

// TestTasksOfMany: tasks are put in order, and each has its curves.
func TestTasksOfMany(t *testing.T) {
	spec := schema.DefaultEvaluation(7)
	spec.Seeds, spec.Episodes, spec.Against = []uint64{0}, 2, []string{}
	spec = spec.NewTasks([]schema.TaskStates{
		{Goal: 4, Start: 1}, {Goal: 2, Start: 3}, {Goal: 4, Start: 0}, {Goal: 2, Start: 3},
	})
	e := schema.Evaluation{Spec: spec, Options: 1, Steps: []uint32{1, 2, 3, 4, 5, 6}}
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
