package learn

import (
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	weights := func(n int) error { return CheckWeights(sizedEnv{features: n - 1}, podtest.PaperSpec()) }
	schematest.Limits{
		{"weights of a learner", "1048576 weights at most", weights(1 << 20), weights(1<<20 + 1)},
	}.Check(t)
}

// sizedEnv is an environment of one action and so many features.
type sizedEnv struct {
	envs.Env
	features int
}

func (s sizedEnv) Actions() []string { return make([]string, 1) }

func (s sizedEnv) Features() []string { return make([]string, s.features) }

func (s sizedEnv) States() int { return 0 }

// TestEliminatedWeights: what decides between elimination and conjugate gradients does so at the limit and beyond.
func TestEliminatedWeights(t *testing.T) {
	eliminates := func(weights int) bool {
		l, err := newLSPI(sizedEnv{features: weights - 1}, podtest.PaperSpec(), Experience{})
		if err != nil {
			t.Fatal(err)
		}
		return l.(*lspi).system != nil
	}
	takesMatrix := func(weights int64) bool { return lspiBytes(0, 1, weights-1) == 8*weights*weights }
	needsFactors := func(weights int) bool { return estimateLSPIMemory(sizedEnv{features: weights - 1}, nil) > 0 }
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"weights that are eliminated", eliminates(MaxEliminated), eliminates(MaxEliminated + 1)},
		{"weights of a matrix", takesMatrix(MaxEliminated), takesMatrix(MaxEliminated + 1)},
		{"weights without factors", !needsFactors(MaxEliminated), !needsFactors(MaxEliminated + 1)},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: at the limit %t, one beyond %t", limit.name, limit.at, limit.beyond)
		}
	}
}
