package replay_test

import (
	"testing"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
)

// goldenRewardEvaluations are records of evaluations of the run "rewarded" in the golden store by what its environment
// rewarded.
var goldenRewardEvaluations = map[schema.Algorithm]string{
	schema.SMDP:        "a582ac2e66e85e2966f43c95cebf2c0afd21326c6932e9380dcc004ea453a5a5",
	schema.IntraOption: "e99808bea4cfa3d1c6b9e0c6508287e132dd5f116ae1af92b4468b73a4313d80",
	schema.Published:   "fb4c81404fb53bc0674ec46415fb18cd2699372184b19f9d0a00f1cbc47b3d03",
}

// TestGoldenRewardEvaluations: each algorithm. TestNumpyEarns in package e2e holds them to an independent program.
func TestGoldenRewardEvaluations(t *testing.T) {
	store := copyStore(t, goldenPath)
	found := false
	for _, r := range selected(t, store) {
		if r.Name != "rewarded" {
			continue
		}
		found = true
		s, err := evaluate.Open(t.Context(), store, r.Source, evaluate.Choice{})
		ok(t, err)
		for algorithm, want := range goldenRewardEvaluations {
			spec := schema.DefaultEvaluation(0)
			spec.Reward, spec.Model, spec.Gamma, spec.Limit = true, schema.EmpiricalModel, schema.RewardGamma, 50
			spec.Algorithm, spec.Episodes, spec.Seeds = algorithm, 12, []uint64{0, 5}
			spec.Interrupt = algorithm == schema.SMDP
			if algorithm == schema.Published {
				spec.Schedule, spec.Epsilon = schema.Constant, schema.PublishedEpsilon
			}
			e, err := s.Evaluate(t.Context(), spec, nil)
			ok(t, err)
			record, err := e.Encode()
			ok(t, err)
			if name := schema.Name(record).String(); name != want {
				t.Errorf("%s: record %s, want %s", algorithm, name, want)
			}
			ok(t, s.Record(t.Context(), e))
		}
		verified, err := evaluate.Verify(t.Context(), store, r.Source, nil, nil)
		ok(t, err)
		for _, v := range verified {
			if !v.Identical {
				t.Errorf("evaluation %s: %s, %s", v.Digest, v.Verdict, v.Reason)
			}
		}
		if len(verified) != len(goldenRewardEvaluations) {
			t.Errorf("%d evaluations are verified", len(verified))
		}
	}
	if !found {
		t.Error("there is no such run")
	}
}
