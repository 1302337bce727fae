package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestWorkLimits: what a limit allows is served, and one more is refused by an error that names the limit.
func TestWorkLimits(t *testing.T) {
	terms := func(n int) error {
		_, err := parseQuery(url.Values{"q": make([]string, n)}.Encode(), []string{"q"})
		return err
	}
	states := func(bits int64) error {
		spec := small(0)
		spec.Env.Params["bits"] = bits
		return tooLarge(report.Run{Name: "a", Spec: spec})
	}
	schematest.Limits{
		{"terms", "1001 times q … 1000", terms(1000), terms(1001)},
		{"runs", "5 runs: more than 4 … choose fewer runs", tooMany(4, "runs", 4), tooMany(5, "runs", 4)},
		{"states", "8388608 states, and only up to 4194304 … podtrack show a", states(22), states(23)},
	}.Check(t)
}

// TestParameterLimits: a parameter at a limit is answered, and one beyond is refused by an error that names both.
func TestParameterLimits(t *testing.T) {
	h := New(optionsFor(filled(t)))
	for _, c := range []struct {
		path, name string
		at, beyond any
		says       string
	}{
		{"runs", "limit", 1000, 1001, "0 to 1000"},
		{"runs", "limit", 0, -1, "0 to 1000"},
		{"runs", "offset", 1 << 30, 1<<30 + 1, "0 to 1073741824"},
		{"runs", "offset", 0, -1, "0 to 1073741824"},
	} {
		target := fmt.Sprintf("/api/%s?%s=", c.path, c.name)
		if w := ask(h, target+fmt.Sprint(c.at)); w.Code != http.StatusOK {
			t.Errorf("%s=%.20v: status %d: %s", c.name, c.at, w.Code, w.Body)
		}
		f := wantFailure(t, ask(h, target+fmt.Sprint(c.beyond)), http.StatusBadRequest)
		if !strings.Contains(f.Error, c.name) || !strings.Contains(f.Remedy, c.says) {
			t.Errorf("%s=%.20v: %s (%s), want %s", c.name, c.beyond, f.Error, f.Remedy, c.says)
		}
	}
}

// TestShownLimits: what a limit allows is shown whole, and of one more it is said what is left out.
func TestShownLimits(t *testing.T) {
	for n, more := range map[int]int{50: 0, 51: 1} {
		f := fieldOf(report.Tally{Field: "seed", Values: make([]report.Value, n)})
		if len(f.Values) != 50 || f.More != more {
			t.Errorf("of %d values %d are listed, and %d more", n, len(f.Values), f.More)
		}
	}
	for n, shown := range map[int]int{80: 80, 81: 80} {
		q := figure.Request{Kind: figure.Kind{Name: strings.Repeat("x", n)}}
		if name := fileName(q); strings.Count(name, "x") != shown {
			t.Errorf("a figure's name of %d letters is that of a file, %s", n, name)
		}
	}
	lists := newLists()
	for runs, kept := range map[int]bool{maxKeptRuns: true, maxKeptRuns + 1: false} {
		key := fmt.Sprint(runs)
		if lists.keep(newListing("", key, make([]report.Run, runs))); lists.find("", key) != nil != kept {
			t.Errorf("a list of %d runs is kept: %t", runs, !kept)
		}
	}
}
