package groupview

import (
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
)

// TestShownLimits: five runs or values are listed, and of six it is said how many there are.
func TestShownLimits(t *testing.T) {
	members := func(n int) string { return listMembers(slices.Repeat([]group.Member{{Label: "m"}}, n)) }
	values := func(n int) string { return listValues([]string{"a", "b", "c", "d", "e", "f"}[:n]) }
	lacks := func(n int) string {
		return strings.Join(lackNotes("", slices.Repeat([]group.MissingRun{{Member: group.Member{Label: "m"}}}, n)), "\n")
	}
	for _, c := range []struct{ name, at, beyond, listed, says string }{
		{"members", members(5), members(6), strings.Repeat("m, ", 4) + "m", ", … and 1 more"},
		{"values", values(5), values(6), "a, b, c, d, e", "6 values: a … f"},
		{"runs that lack iterations", lacks(5), lacks(6), strings.Repeat("m () lacks iteration 0.\n", 4) +
			"m () lacks iteration 0.", "\n1 more lack iterations; --json lists all."},
	} {
		if !strings.HasSuffix(c.at, c.listed) || !strings.HasSuffix(c.beyond, c.says) {
			t.Errorf("%s: at the limit %s\none beyond %s", c.name, c.at, c.beyond)
		}
	}
}
