package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// TestWorkLimits: what a limit allows is served, and one more is refused by an error that names the limit.
func TestWorkLimits(t *testing.T) {
	terms := func(n int) error {
		_, err := parseQuery(url.Values{"q": make([]string, n)}.Encode(), []string{"q"})
		return err
	}
	ring := func(bits int64) envs.Env {
		env, err := envs.NewEnv(schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": bits, "hide": 0}})
		ok(t, err)
		return env
	}
	states := func(bits int64) error {
		spec := small(0)
		spec.Env.Params["bits"] = bits
		return tooLarge(report.Run{Name: "a", Spec: spec})
	}
	digest := schema.Digest{0xab, 0xcd}
	evaluation := func(prefix string) error {
		_, err := chosen([]tracker.Evaluation{{Digest: digest}}, prefix, report.Run{})
		return err
	}
	store := filled(t)
	run, err := report.Open(t.Context(), store, idOf(t, small(0)))
	ok(t, err)
	primitive := func(steps int64) error { return readPrimitive(t.Context(), run, walkLayout{steps: steps}, nil) }
	state := func(n int) error {
		_, err := askedState(&request{query: url.Values{"state": {fmt.Sprint(n)}}})
		return err
	}
	schematest.Limits{
		{"terms", "1001 times q … 1000", terms(1000), terms(1001)},
		{"runs", "5 runs: more than 4 … choose fewer runs", tooMany(4, "runs", 4), tooMany(5, "runs", 4)},
		{"states", "8388608 states, and only up to 4194304 … podtrack show a", states(22), states(23)},
		{"action values", "4194304 states of 2 actions … 4194304 numbers", checkTable(ring(21)),
			checkTable(ring(22))},
		{"steps with options", "1048577 steps … 1048576", walkHead{From: 1, To: 1048577}.checkShown(),
			walkHead{To: 1048577}.checkShown()},
		{"primitive steps", "1048577 steps … 1048576", primitive(1 << 20), primitive(1<<20 + 1)},
		{"work of diffusion times", "1024 states for each of 3 numbers of options … --diffusion computes it",
			checkDiffusion(report.Run{}, 0, 1<<10, 1), checkDiffusion(report.Run{}, 0, 1<<10, 2)},
		{"a state", `state "4194304" … 0 to 4194303`, state(4194303), state(4194304)},
		{"a digest", `no evaluation "abc" … at least 4 letters`, evaluation("abcd"), evaluation("abc")},
	}.Check(t)
}

// TestParameterLimits: a parameter at a limit is answered, and one beyond is refused by an error that names both.
func TestParameterLimits(t *testing.T) {
	h, run := New(optionsFor(filled(t))), "runs/"+idOf(t, small(1))
	for _, c := range []struct {
		path, name string
		at, beyond any
		says       string
	}{
		{"runs", "limit", 1000, 1001, "0 to 1000"},
		{"runs", "limit", 0, -1, "0 to 1000"},
		{"runs", "offset", 1 << 40, 1<<40 + 1, "0 to 1099511627776"},
		{"runs", "offset", 0, -1, "0 to 1099511627776"},
		{run + "/lanes", "limit", 500, 501, "0 to 500"},
		{run + "/lanes", "offset", 1 << 40, 1<<40 + 1, "0 to 1099511627776"},
		{run + "/lanes", "find", strings.Repeat("a", 4096), strings.Repeat("a", 4097), "up to 4096"},
		{run + "/walk", "width", 4000, 4001, "1 to 4000"},
		{run + "/walk", "width", 1, 0, "1 to 4000"},
		{run + "/walk", "from", 600, 601, "0 to 600"},
		{run + "/walk", "to", 1, 0, "1 to 9223372036854775807"},
		{run + "/walk", "k", 0, -1, "0 to 2147483647"},
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
	for n, listed := range map[int]int{1000: 1000, 1001: 0} {
		e := envelope{walkHead: walkHead{To: 2000}}
		for i := range n {
			e.reset(0, []reset{{at: i}})
		}
		if len(e.Resets) != listed || e.Episodes != int64(n) {
			t.Errorf("of %d resets %d are listed, and %d counted", n, len(e.Resets), e.Episodes)
		}
	}
	for n, shown := range map[int]int{80: 80, 81: 80} {
		if name := fileName(Drawing{Figure: strings.Repeat("x", n)}, "svg"); strings.Count(name, "x") != shown {
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

// TestRunLimits: as many episodes of a run as a limit allows are served, and one more is refused.
func TestRunLimits(t *testing.T) {
	store := filled(t)
	var run report.Run
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) (err error) {
		run, err = report.LoadRun(tx, "@1")
		return err
	}))
	subject, err := evaluate.Open(t.Context(), store, run.Source, evaluate.Choice{})
	ok(t, err)
	spec := evaluation.DefaultSpec(1)
	spec.Seeds, spec.Episodes, spec.Limit, spec.Against = []uint64{0}, 10, 50, nil
	e, err := subject.Complete(t.Context(), spec, nil)
	ok(t, err)
	var all []tracker.Evaluation
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) (err error) {
		all, err = tx.ReadEvaluations(run.ID)
		return err
	}))
	for left, refused := range map[int]bool{len(e.Steps): false, len(e.Steps) - 1: true} {
		_, err := newServer(optionsFor(store)).evaluation(t.Context(), run, all[0], &left)
		is := err != nil && strings.Contains(err.Error(), "more than 4194304 episodes")
		if is != refused || err != nil != is {
			t.Errorf("%d episodes of which %d are allowed: %v", len(e.Steps), left, err)
		}
	}
}
