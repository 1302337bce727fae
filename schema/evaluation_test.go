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
		"baselines":    func(s *schema.EvaluationSpec) { s.Against = []string{"nothing"} },
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
	spec.LeaveOut = true
	zero, one := 0, 1
	want := []schema.Arm{{Name: "options"}, {Name: "primitives"}, {Name: "random"}, {Name: "without", Without: &zero},
		{Name: "without", Without: &one}}
	if diff := cmp.Diff(want, spec.Arms(2)); diff != "" {
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
	other, err := schema.EvaluationDigest(schema.Digest{2}, spec)
	if err != nil || first == other {
		t.Error("another link has the same digest", err)
	}
	spec.All = true
	if other, err = schema.EvaluationDigest(schema.Digest{1}, spec); err != nil || first == other {
		t.Error("another spec has the same digest", err)
	}
}
