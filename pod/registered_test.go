package pod

import (
	"fmt"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestRegisteredHalves: whatever package schema reads in a spec is computed here, and
// nothing else.
func TestRegisteredHalves(t *testing.T) {
	for what, names := range map[string][2][]string{
		"methods":    {schema.Methods.Names(), methods.Names()},
		"selections": {schema.Selections.Names(), selections.Names()},
		"learners":   {schema.Learners.Names(), learners.Names()},
	} {
		if !slices.Equal(slices.Sorted(slices.Values(names[0])), slices.Sorted(slices.Values(names[1]))) {
			t.Errorf("%s: schema has %v, pod %v", what, names[0], names[1])
		}
	}
}

// NewSimulated returns [NewEnv] for environments that are simulated here, as nearly all tests need.
func NewSimulated(e schema.Env) (SimulatedEnv, error) {
	env, err := NewEnv(e)
	if err != nil {
		return nil, err
	}
	simulated, ok := As[SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("environment %q is not simulated here", e.Name)
	}
	return simulated, nil
}
