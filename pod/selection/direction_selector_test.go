package selection

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestRegisteredSelections: the selections that package schema reads in a spec are computed here, and no others.
func TestRegisteredSelections(t *testing.T) {
	want, got := schema.Selections.Names(), selections.Names()
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
