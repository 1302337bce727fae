package replay_test

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
)

// TestExternalLearnerIsEvaluated: options of a learner in another program are compared with actions alone; random
// ones that it would have to learn are refused.
func TestExternalLearnerIsEvaluated(t *testing.T) {
	store := copyStore(t, goldenPath)
	found := false
	for _, r := range selected(t, store) {
		if r.Name != "external-stages" {
			continue
		}
		found = true
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		spec := schema.DefaultEvaluation(3)
		spec.Episodes, spec.Seeds, spec.Model = 5, []uint64{0}, s.Model
		if _, err := s.Evaluate(t.Context(), spec, nil); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("random options of an external learner: %v", err)
		}
		spec.Against = []string{schema.AgainstPrimitives}
		_, err = s.Evaluate(t.Context(), spec, nil)
		ok(t, err)
	}
	if !found {
		t.Error("there is no such run")
	}
}
