package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

var ok = schematest.Must

// tiny returns a spec of which a run takes a few milliseconds.
func tiny() schema.Spec {
	s := pod.PaperSpec()
	s.Env.Params = map[string]int64{"bits": 5, "hide": 0}
	s.Steps, s.Seed = 60, 0
	return s
}

// tinyPlan has two specs with four seeds.
func tinyPlan() *Plan {
	other := tiny()
	other.Kappa = 0.5
	return &Plan{
		Plan: runset.Plan{Specs: []schema.Spec{tiny(), other}, Seeds: runset.SeedSet(0, 1, 2, 3), Iterations: 2},
		Tags: []string{"study"},
	}
}

func TestPlanCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Plan)
		says   string // "" for none
	}{
		"as it is": {func(*Plan) {}, ""},
		"no spec":  {func(p *Plan) { p.Specs = nil }, "no runs"},
		"no seed":  {func(p *Plan) { p.Seeds = runset.Seeds{} }, "no runs"},
		"too many runs": {
			func(p *Plan) {
				p.Specs, p.Seeds = make([]schema.Spec, 11), firstSeeds(t, runset.MaxSeeds)
			}, "11 specs with 1000000 seeds each",
		},
		"too many specs": {
			func(p *Plan) { p.Specs = make([]schema.Spec, runset.MaxPlanSpecs+1) }, "100001 specs",
		},
		"no iteration":                {func(p *Plan) { p.Iterations = 0 }, "0 iterations"},
		"a negative number of them":   {func(p *Plan) { p.Iterations = -1 }, "-1 iterations"},
		"too many of them":            {func(p *Plan) { p.Iterations = tracker.MaxIterations + 1 }, " iterations"},
		"an environment that is none": {func(p *Plan) { p.Specs[1].Env.Name = "moon" }, "spec 1: "},
		"a tag with a space":          {func(p *Plan) { p.Tags = []string{"fine", "not fine"} }, `tag "not fine"`},
		"an empty tag":                {func(p *Plan) { p.Tags = []string{""} }, `tag ""`},
		"too many tags":               {func(p *Plan) { p.Tags = make([]string, maxTags+1) }, "101 tags"},
		"a name for each":             {func(p *Plan) { p.Name = "k{kappa}-s{seed}" }, ""},
		"a name for several seeds": {
			func(p *Plan) { p.Name = "k{kappa}" }, `the name "k1" would belong to several runs`,
		},
		"a name for several specs": {
			func(p *Plan) { p.Name = "run{seed}" }, `the name "run0" would belong to several runs`,
		},
		"a name for all": {func(p *Plan) { p.Name = "run" }, "would belong to several runs"},
		"a field that is none": {
			func(p *Plan) { p.Name = "{kapa}-{seed}" }, "has a brace that is not a field's",
		},
		"half a field": {
			func(p *Plan) { p.Name = "{kappa}-{seed" }, "has a brace that is not a field's",
		},
		"a name that looks like an ID": {func(p *Plan) { p.Name = "{seed}" }, "it looks like an ID"},
		"a name with a space":          {func(p *Plan) { p.Name = "k{kappa} s{seed}" }, "k1 s0"},
		"a record that must stay": {
			func(p *Plan) { p.Keep = &tracker.Retention{Kinds: []schema.Kind{schema.KindMeasures}} }, "keep",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := tinyPlan()
			for i := range p.Specs {
				p.Specs[i].Env.Params = maps.Clone(p.Specs[i].Env.Params)
			}
			c.change(p)
			switch err := p.Check(t.Context()); {
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v does not say %q", err, c.says)
			}
		})
	}
}

// TestLargePlan: each job of a large plan takes as much memory as one of a small one.
func TestLargePlan(t *testing.T) {
	large, small := tinyPlan(), tinyPlan()
	large.Name, small.Name = "k{kappa}-s{seed}", "k{kappa}-s{seed}"
	large.Seeds = firstSeeds(t, 500_000)
	if large.Len() != 1_000_000 {
		t.Fatal(large.Len())
	}
	if big, little := jobBytes(t, large, 1000), jobBytes(t, small, 1000); big > 2*little+1000 {
		t.Errorf("%d bytes a job, of a small plan %d", big, little)
	}
	last, err := large.job(999_999)
	if err != nil || last.Spec.Seed != 499_999 || last.Spec.Kappa != 0.5 || last.Name != "k0.5-s499999" ||
		last.Target != 2 {
		t.Errorf("the last job: %+v, %v", last, err)
	}
}

// jobBytes returns what a job of the plan allocates, about.
func jobBytes(t *testing.T, p *Plan, n int) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		_, err := p.job((i * 7919) % p.Len())
		ok(t, err)
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
}

func TestExpand(t *testing.T) {
	spec := tiny()
	spec.Seed = 7
	for template, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"s{seed}":              "s7",
		"{reading}-{seed}":     "as-written-7",
		"k{kappa}g{gamma}x":    "k1g0.99x",
		"{env}{bits}-{select}": "ring5-threshold",
		"s{seed}{seed}":        "s77",
	} {
		if got, err := ExpandName(template, spec); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", template, got, err, want)
		}
	}
	for _, template := range []string{"{}", "{Seed}x", "x{", "x}", "{{seed}}", "x{nosuch}", "x y", "@1", "a=b", "help",
		"-x", strings.Repeat("x", 5000)} {
		if got, err := ExpandName(template, spec); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%q: %q, %v", template, got, err)
		}
	}
}

// firstSeeds returns the first n seeds.
func firstSeeds(t testing.TB, n int) runset.Seeds {
	t.Helper()
	seeds, err := runset.ParseSeeds(fmt.Sprintf("0-%d", n-1))
	ok(t, err)
	return seeds
}

// TestCheckIsCancelled: names of many runs are looked at until the context ends.
func TestCheckIsCancelled(t *testing.T) {
	p := tinyPlan()
	p.Name, p.Seeds = "k{kappa}-s{seed}-x", firstSeeds(t, runset.MaxSeeds)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
