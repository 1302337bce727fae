package pod_test

import (
	"errors"
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// TestVisitedStatesAreBounded: a purpose over more states than a record may have features is refused
// before anything is recorded, and no record of one is encoded.
func TestVisitedStatesAreBounded(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"] = 21
	spec.Method, spec.StateSet = schema.Successor, schema.VisitedStates
	if _, err := pod.NewEnvForSpec(spec); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Error(err)
	}
	spec.Env.Params["bits"] = 20
	if _, err := pod.NewEnvForSpec(spec); err != nil {
		t.Error(err)
	}
	wide := make([]float64, schema.MaxRecordFeatures+1)
	if _, err := (schema.Option{Purpose: schema.Purpose{J: 1, Sign: 1, Vector: wide}, Arity: 2}).Encode(); err == nil {
		t.Error("an option that no program decodes was encoded")
	}
}

// TestScaledLeavesOutVanishingChanges: changes too small for a root mean square are as if there were
// none, and no number overflows.
func TestScaledLeavesOutVanishingChanges(t *testing.T) {
	d := pod.Dataset{Dims: 2, Counts: []int64{1000, 1}, Rows: []schema.SparseRow{
		{{Feature: 1, Value: 1}}, {{Feature: 0, Value: math.SmallestNonzeroFloat64}, {Feature: 1, Value: 1}}}}
	f, err := pod.Factor(t.Context(), pod.Reduced, d.Scaled())
	if err != nil || math.Abs(f.Sigma[0]-math.Sqrt(1001)) > 1e-9 || f.Sigma[1] != 0 {
		t.Errorf("%v (%v)", f.Sigma, err)
	}
}
