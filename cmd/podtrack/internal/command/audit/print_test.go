package audit

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/why"
)

// TestShownLimits: what a limit allows is shown whole, and of one more it is said that something is left out.
func TestShownLimits(t *testing.T) {
	chain := func(n int) string {
		r := &why.Report{Chain: make([]why.Proof, n), Levels: []stages.Level{}}
		for i := range r.Chain {
			r.Chain[i].Verified = true
		}
		var out bytes.Buffer
		printChain(table.Text{Writer: &out}, r)
		return out.String()
	}
	row := func(n int) string { return rowText(make([]string, n), slices.Repeat([]float64{1}, n)) }
	ends := func(n int) string { return endsText(make([]why.End, n)) }
	for _, c := range []struct{ name, at, beyond, says string }{
		{"links", chain(3 * ShownRows), chain(3*ShownRows + 1), "8 links between them are not shown"},
		{"features of a row", row(6), row(7), "…"},
	} {
		if strings.Contains(c.at, c.says) || !strings.Contains(c.beyond, c.says) {
			t.Errorf("%s: at the limit %s\none beyond %s\nwant %q beyond it alone", c.name, c.at, c.beyond, c.says)
		}
	}
	if a, b := strings.Count(ends(5), "from"), strings.Count(ends(6), "from"); a != 5 || b != 5 {
		t.Errorf("states in which options end: %d of 5, %d of 6", a, b)
	}
}

// TestNeverEnds: where outcomes are uncertain, a cycle of the likeliest is no proof that an option goes on for ever.
func TestNeverEnds(t *testing.T) {
	for likely, want := range map[bool]string{
		false: "it never ends from 2 states, unless a call is truncated\n",
		true:  "by the likeliest outcomes it does not end from 2 states\n",
	} {
		var out bytes.Buffer
		printActs(table.Text{Writer: &out}, &why.Report{Acts: &why.Extent{States: 6, Never: 2, Likely: likely}})
		if !strings.Contains(out.String(), want) {
			t.Errorf("uncertain %v: %s\nwant %s", likely, out.String(), want)
		}
	}
}
