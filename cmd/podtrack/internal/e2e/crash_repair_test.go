package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKilledRepair kills a repair when the damaged file has a second name and
// still its first. The next repair takes that name for its own.
func TestKilledRepair(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	for _, point := range rescues {
		t.Run(point, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "store.db")
			start(t, append([]string{"run", "--store", store}, smallRun...)...).exit(t, 0)
			before, err := look(t.Context(), store)
			ok(t, err)
			spoilStore(t, store)
			file := stat(t, store)
			if !startFaulty(t, []string{"PODTRACK_FAULT=" + point + ":1"}, "repair", "--store", store).killed(t) {
				t.Fatal("the repair never comes to this point")
			}
			if !os.SameFile(file, stat(t, store)) || !os.SameFile(file, stat(t, store+".damaged")) {
				t.Error("the damaged file has not both names")
			}
			start(t, "repair", "--store", store).exit(t, 0)
			after, err := look(t.Context(), store)
			ok(t, err)
			if !after.equal(before) {
				t.Errorf("repaired: %v, before %v", after, before)
			}
			if other, _ := filepath.Glob(store + ".damaged?*"); len(other) > 0 || !os.SameFile(file, stat(t, store+".damaged")) {
				t.Errorf("the damaged file is not kept under one name: %v", other)
			}
			start(t, "compact", "--store", store).exit(t, 0)
		})
	}
}
