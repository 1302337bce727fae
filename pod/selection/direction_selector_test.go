package selection

import (
	"maps"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestRegisteredSelections: the selections that package schema reads in a spec are computed here, and no others.
func TestRegisteredSelections(t *testing.T) {
	for _, name := range schema.Selections.Names() {
		if _, known := selections[schema.Criterion(name)]; !known || len(selections) != len(schema.Selections.Names()) {
			t.Errorf("%s: %v", name, slices.Sorted(maps.Keys(selections)))
		}
	}
}
