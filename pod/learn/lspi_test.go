package learn_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// withUnused returns an environment with that many further features, which are 0 in all states.
func withUnused(w unmodelledEnv, more int) unmodelledEnv {
	wide := unmodelledEnv{actions: w.actions}
	for _, phi := range w.features {
		wide.features = append(wide.features, append(append([]float64(nil), phi...), make([]float64, more)...))
	}
	return wide
}

func drawFeatures(t *rapid.T, states, dims int) (features [][]float64) {
	entry := rapid.SampledFrom([]float64{0, 0, 1, 1, -2, 0.375})
	for range states {
		features = append(features, rapid.SliceOfN(entry, dims, dims).Draw(t, "phi"))
	}
	return features
}

// TestLSPIOfUnusedFeatures: features that never are anything but 0 change no weight of the others,
// although there are then more weights than may be unknown.
func TestLSPIOfUnusedFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, actions := rapid.IntRange(2, 8).Draw(t, "states"), rapid.IntRange(1, 3).Draw(t, "actions")
		dims := rapid.IntRange(1, 6).Draw(t, "dims")
		w := unmodelledEnv{actions: actions, features: drawFeatures(t, states, dims)}
		seen := learn.Experience{Transitions: drawMoves(t, states, actions)}
		p := schema.Purpose{J: 1, Sign: 1, Vector: rapid.SliceOfN(rapid.Float64Range(-1, 1), dims, dims).Draw(t, "e")}
		spec := learningSpec(schema.LSPI, 0.9, 20)
		_, narrow, err := optionLearner(t, w, spec, seen).Learn(context.Background(), p)
		if err != nil {
			t.Skip(err)
		}
		p.Vector = append(append([]float64(nil), p.Vector...), make([]float64, learn.MaxEliminated)...)
		_, wide, err := optionLearner(t, withUnused(w, learn.MaxEliminated), spec, seen).Learn(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for a := range actions {
			want, got := narrow.(schema.Theta).ActionWeights(a), wide.(schema.Theta).ActionWeights(a)
			if diff := cmp.Diff(want, got[:dims+1]); diff != "" {
				t.Fatalf("action %d (-without +with unused features):\n%s", a, diff)
			}
			for _, x := range got[dims+1:] {
				if x != 0 {
					t.Fatalf("action %d: an unused feature has weight %v", a, x)
				}
			}
		}
	})
}

// TestLSPIOfManyWeights: with more unknowns than are eliminated, on one-hot features least squares are as
// exact as ever. The walk goes round a ring, which makes long chains. Runs record these bits, so they never
// change.
func TestLSPIOfManyWeights(t *testing.T) {
	const states, actions = 720, 3
	w, stream := oneHot(states, actions), rng.NewStream(0, 0, "test")
	var moves envs.TransitionCounts
	vector := make([]float64, states)
	for s := range states {
		vector[s] = float64(stream.Below(1000)) / 1000
		for a := range actions {
			next := (s + []int{1, states - 1, 17}[a]) % states
			moves = append(moves, envs.CountedTransition{Count: 1 + int64(stream.Below(9)), Transition: envs.Transition{
				State: int32(s), Next: int32(next), Action: uint8(a), Terminal: stream.Below(20) == 0}})
		}
	}
	seen := learn.Experience{Transitions: moves}
	_, swept := learned(t, w, learningSpec(schema.Empirical, 0.9, 400), seen, vector)
	_, solved := learned(t, w, learningSpec(schema.LSPI, 0.9, 100), seen, vector)
	record, err := schema.Value(solved).AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(record); hex.EncodeToString(sum[:8]) != "15f0abadca6fced8" {
		t.Errorf("the bits of q have changed: their digest begins with %x", sum[:8])
	}
	for i, q := range swept {
		if math.Abs(q-solved[i]) > 1e-9 {
			t.Fatalf("q(%d, %d) is %v by sweeps and %v by least squares", i/actions, i%actions, q, solved[i])
		}
	}
}

// TestLSPIOfManyWeightsIsCancelled: solving ends with the context.
func TestLSPIOfManyWeightsIsCancelled(t *testing.T) {
	w, seen := oneHot(1100, 2), learn.Experience{Transitions: envs.TransitionCounts{{Count: 1}}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := schema.Purpose{J: 1, Sign: 1, Vector: make([]float64, 1100)}
	if _, _, err := optionLearner(t, w, learningSpec(schema.LSPI, 0.9, 1), seen).Learn(ctx, p); err != context.Canceled {
		t.Fatal(err)
	}
}
