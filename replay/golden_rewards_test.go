package replay_test

import (
	"testing"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
)

// goldenRewardEvaluations are records of evaluations, by rewards, of the run "rewarded" in the golden store.
var goldenRewardEvaluations = map[schema.Algorithm]string{
	schema.SMDP:        "2cd48e82406a9a1b5cefc18d40e43cfe5eb5aa24cb8be61089c44b92b5c36c58",
	schema.IntraOption: "7ad87c11f9b4d930848d85bed84fd2042097d66570c17e24c50e5253d299bf76",
	schema.Published:   "93433bfa6f8426c769a482f4b85588a584db3a07fa40c94da156778e6f02456c",
}

// TestGoldenRewardEvaluations covers each algorithm. TestNumpyEarns in package e2e compares them with an independent
// program.
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
				spec.Epsilon = schema.PublishedEpsilon
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
		verified, err := evaluate.Verify(t.Context(), store, r.Source, nil)
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
