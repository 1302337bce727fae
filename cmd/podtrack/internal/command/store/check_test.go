package store

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/check"
)

// TestRepairLimit: the command that removes runs names 40 of them.
func TestRepairLimit(t *testing.T) {
	for _, n := range []int{40, 41} {
		r := checkReport{Store: "podtrack.db"}
		for i := range n {
			r.Damaged = append(r.Damaged, check.Damage{Run: &schema.Digest{byte(i)}, Misfit: true})
		}
		if named := strings.Count(r.repair(), " ") - 1; named != 40 {
			t.Errorf("of %d runs %d are named", n, named)
		}
	}
}
