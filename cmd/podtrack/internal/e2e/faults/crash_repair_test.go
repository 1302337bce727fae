package faults

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestKilledRepair kills a repair at each of its points. One complete file has the store's name then,
// and the next repair uses the second name that the damaged one may have got.
func TestKilledRepair(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	points := maps.Clone(rescues)
	points["compact.renamed"], points["compact.synced"] = true, true // replacing a file is shared
	for point, linked := range points {
		t.Run(point, func(t *testing.T) {
			store := e2e.NewStore(t, smallRun...)
			before, err := look(t.Context(), store)
			e2e.Must(t, err)
			spoilStore(t, store)
			file := stat(t, store)
			mustBeKilledAt(t, point, "repair", "--store", store)
			if replaced := swaps[point]; os.SameFile(file, stat(t, store)) == replaced {
				t.Errorf("the new file is in place: want %t", replaced)
			}
			if _, err := os.Stat(store + ".damaged"); linked != (err == nil) || linked &&
				!os.SameFile(file, stat(t, store+".damaged")) {
				t.Errorf("the damaged file has a second name: %v, want %t", err == nil, linked)
			}
			e2e.Perform(t, "repair", "--store", store)
			after, err := look(t.Context(), store)
			e2e.Must(t, err)
			if !after.Equal(before) {
				t.Errorf("repaired: %v, before %v", after, before)
			}
			if other, _ := filepath.Glob(store + ".damaged?*"); len(other) > 0 || !os.SameFile(file, stat(t, store+".damaged")) {
				t.Errorf("the damaged file is not kept under one name: %v", other)
			}
			e2e.Perform(t, "compact", "--store", store)
		})
	}
}
