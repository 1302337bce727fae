package check

import "testing"

// TestDamagesLimit: as many damages as there may be are listed, and further ones are counted.
func TestDamagesLimit(t *testing.T) {
	for _, n := range []int{maxDamages - 1, maxDamages, maxDamages + 1} {
		var c checker
		for range n {
			c.addDamage(Damage{})
		}
		if listed, more := len(c.report.Damaged), c.report.More; listed != min(n, maxDamages) || listed+more != n {
			t.Errorf("of %d damages %d are listed, and %d counted", n, listed, more)
		}
	}
}
