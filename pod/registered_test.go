package pod

import (
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
		if !slices.Equal(names[0], names[1]) {
			t.Errorf("%s: schema has %v, pod %v", what, names[0], names[1])
		}
	}
}
