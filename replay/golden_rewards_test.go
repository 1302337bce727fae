package replay_test

import (
	"testing"

	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// goldenRewardEvaluations are records of evaluations, by rewards, of the run "rewarded" in the golden store.
var goldenRewardEvaluations = map[evaluation.Algorithm]string{
	evaluation.SMDP:        "77a121073b36c5200a710c27b18b27f62e9dc25a889d19b2b1d326516a3d8200",
	evaluation.IntraOption: "ae6222c9e81f842510f4d1f445b9e3fd4786562f2ba50c3d2a5ef992715b6206",
	evaluation.Published:   "9048709a6efea245696edd844b05d30d8796189bbba84bd38f90ea9efe4ee6bc",
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
			spec := evaluation.DefaultSpec(0)
			spec.Reward, spec.Model, spec.Gamma, spec.Limit = true, evaluation.EmpiricalModel, evaluation.RewardGamma, 50
			spec.Algorithm, spec.Episodes, spec.Seeds = algorithm, 12, []uint64{0, 5}
			spec.Interrupt = algorithm == evaluation.SMDP
			if algorithm == evaluation.Published {
				spec.Epsilon = evaluation.PublishedEpsilon
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
