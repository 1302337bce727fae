package runview

import (
	"bytes"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/outlook"
)

// TestShownLimits: what a limit allows is shown whole, and of one more it is said that something is left out.
func TestShownLimits(t *testing.T) {
	plans := func(n int) string {
		var out bytes.Buffer
		PrintPlans(&out, []outlook.Progress{{Tag: "a", Plans: make([]outlook.PlanProgress, n)}})
		return out.String()
	}
	parameter := func(n int) string {
		g := table.New(table.Left("own"))
		g.Add(strings.Repeat("a", n))
		return Hideable(g).Rows[0][0]
	}
	for _, c := range []struct{ name, at, beyond, says string }{
		{"plans", plans(10), plans(11), "and 1 more plan"},
		{"a parameter", parameter(24), parameter(25), "…"},
	} {
		if strings.Contains(c.at, c.says) || !strings.Contains(c.beyond, c.says) {
			t.Errorf("%s: at the limit %s\none beyond %s\nwant %q beyond it alone", c.name, c.at, c.beyond, c.says)
		}
	}
}
