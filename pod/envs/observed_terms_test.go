package envs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// TestObservedTerms: what is computed of few features of an observation is what all of them give, bit for bit.
func TestObservedTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]schema.Observation{schema.Discrete, schema.Binary, schema.Real}).Draw(t, "kind")
		dims, actions := rapid.IntRange(1, 20).Draw(t, "dims"), rapid.IntRange(1, 9).Draw(t, "actions")
		e := &External{ObservedStates: newObservedStates(kind, dims), actions: make([]string, actions),
			features: make([]string, dims)}
		for range rapid.IntRange(1, 6).Draw(t, "states") {
			if _, err := e.Intern(drawObservation(t, kind, dims)); err != nil {
				t.Fatal(err)
			}
		}
		theta := schema.NewTheta(actions, dims)
		copy(theta.Weights, rapid.SliceOfN(rapid.Float64Range(-3, 3), len(theta.Weights), len(theta.Weights)).Draw(t, "w"))
		phi, before := make([]float64, dims), make([]float64, dims)
		q, w, terms := make([]float64, actions), make([]float64, e.States()), StateTerms{}
		for s := range e.States() {
			e.Observe(s, phi)
			e.FeatureTerms(s, 1, &terms)
			terms.qWithConstant(theta, q)
			for a := range actions {
				sum := 0.0
				for i, x := range phi {
					sum += float64(theta.ActionWeights(a)[i+1] * x)
				}
				if sum += theta.ActionWeights(a)[0]; q[a] != sum {
					t.Fatalf("q(%d, %d) is %v, want %v", s, a, q[a], sum)
				}
			}
			if e.Potential(phi, w); w[s] != linalg.Dot(phi, phi) {
				t.Fatalf("φᵀφ of state %d is %v, want %v", s, w[s], linalg.Dot(phi, phi))
			}
			for other := range e.States() {
				FeatureDifference(e, s, other, before)
				if diff := cmp.Diff(schema.NewSparseRow(before), NewDifference(e)(s, other)); diff != "" {
					t.Fatalf("from state %d to %d (-all features +those that differ):\n%s", s, other, diff)
				}
			}
		}
	})
}

func drawObservation(t *rapid.T, kind schema.Observation, dims int) []byte {
	switch kind {
	case schema.Discrete:
		return []byte{byte(rapid.IntRange(0, dims-1).Draw(t, "n")), 0, 0, 0}
	case schema.Binary:
		return AppendBinaryObservation(nil, rapid.SliceOfN(rapid.Uint8Range(0, 1), dims, dims).Draw(t, "bits"))
	}
	values := rapid.SampledFrom([]float64{0, 1, -0.5, 3, 1e-300, 1e300})
	return AppendRealObservation(nil, rapid.SliceOfN(values, dims, dims).Draw(t, "values"))
}
