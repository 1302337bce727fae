package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// everySpec returns specs of every environment, learner, method and rule: those whose
// heads are pinned, and one of an environment in another process.
func everySpec(t testing.TB) (specs []schema.Spec) {
	t.Helper()
	text, err := os.ReadFile("../../../../replay/testdata/heads.json")
	ok(t, err)
	var pinned []struct{ Spec json.RawMessage }
	ok(t, json.Unmarshal(text, &pinned))
	seen := map[schema.Digest]bool{}
	for _, x := range pinned {
		spec := pod.PaperSpec()
		ok(t, spec.ReadJSON(bytes.NewReader(x.Spec)))
		spec.Seed = 0
		id, err := schema.RunID(spec, nil)
		ok(t, err)
		if !seen[id] {
			specs = append(specs, spec)
		}
		seen[id] = true
	}
	outside := tiny()
	outside.Learner = schema.Empirical
	outside.Env = schema.Env{Name: "corridor", Text: map[string]string{"length": "9"}, External: &schema.External{
		Version: "1", Actions: []string{"back", "on"}, Observes: schema.Discrete, Size: 9,
	}}
	ok(t, outside.Validate()) // which makes it canonical
	return append(specs, outside)
}

// TestPlanRoundTrip: a plan is read as what was written, and written again the same.
func TestPlanRoundTrip(t *testing.T) {
	specs := everySpec(t)
	learners, envs := map[schema.Learner]bool{}, map[string]bool{}
	for i, spec := range specs {
		learners[spec.Learner], envs[spec.Env.Name] = true, true
		checkRoundTrip(t, fmt.Sprint("spec ", i), &Plan{
			Plan: runset.Plan{Specs: []schema.Spec{spec}, Seeds: runset.SeedSet(0), Iterations: 1},
		})
	}
	if len(specs) < 15 || len(learners) < 5 || len(envs) < 3 {
		t.Errorf("only %d specs, %d learners, %d environments", len(specs), len(learners), len(envs))
	}
	checkRoundTrip(t, "all", &Plan{
		Plan: runset.Plan{Specs: specs, Seeds: runset.SeedSet(0, 3, 7, 8, 9, 1<<64-1), Iterations: 6},
		Tags: []string{"a", "ä/β"}, Name: "",
		Keep: &tracker.Retention{Kinds: tracker.PrunableKinds[:2], Last: 1},
	})
	named := tinyPlan()
	named.Name = "k{kappa}-s{seed}"
	checkRoundTrip(t, "named", named)
}

func checkRoundTrip(t *testing.T, name string, p *Plan) {
	t.Helper()
	text, err := p.Marshal()
	ok(t, err)
	back, err := readPlan(context.Background(), bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	if diff := cmp.Diff(p, back); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	again, err := back.Marshal()
	ok(t, err)
	if !bytes.Equal(text, again) {
		t.Errorf("%s: written again\n%s\nwas\n%s", name, again, text)
	}
	id, err := p.ID()
	ok(t, err)
	if other, _ := back.ID(); id != other || len(id) != 12 {
		t.Errorf("%s: ID %s, read again %s", name, id, other)
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
		"a spec twice":                {func(p *Plan) { p.Specs[1] = p.Specs[0] }, "spec 1 is a duplicate"},
		"a seed of its own":           {func(p *Plan) { p.Specs[1].Seed = 3 }, "is a duplicate, or has a seed"},
		"a spec that is not sound":    {func(p *Plan) { p.Specs[1].Gamma = 2 }, "spec 1: "},
		"an environment that is none": {func(p *Plan) { p.Specs[1].Env.Name = "moon" }, "spec 1: "},
		"a learner that is none":      {func(p *Plan) { p.Specs[1].Learner = "luck" }, "spec 1: "},
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
		"a negative number to keep": {func(p *Plan) { p.Keep = &tracker.Retention{Last: -1} }, "keep"},
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

func TestReadRefuses(t *testing.T) {
	text, err := tinyPlan().Marshal()
	ok(t, err)
	whole := string(text)
	for name, text := range map[string]string{
		"nothing":              "",
		"null":                 "null",
		"no object":            "[]",
		"an empty one":         "{}",
		"half of it":           whole[:len(whole)/2],
		"something behind it":  whole + "{}",
		"another version":      strings.Replace(whole, `"sweep": 1`, `"sweep": 2`, 1),
		"an unknown key":       strings.Replace(whole, `"sweep": 1`, `"sweep": 1, "more": 0`, 1),
		"seeds as a list":      strings.Replace(whole, `"0-3"`, `[0, 1]`, 1),
		"seeds that are none":  strings.Replace(whole, `"0-3"`, `""`, 1),
		"seeds backwards":      strings.Replace(whole, `"0-3"`, `"3-0"`, 1),
		"far too many seeds":   strings.Replace(whole, `"0-3"`, `"0-18446744073709551615"`, 1),
		"half an iteration":    strings.Replace(whole, `"iterations": 2`, `"iterations": 2.5`, 1),
		"more than a number":   strings.Replace(whole, `"iterations": 2`, `"iterations": 99999999999999999999`, 1),
		"a spec that is null":  strings.Replace(whole, `"specs": [`, `"specs": [null,`, 1),
		"a spec that is text":  strings.Replace(whole, `"specs": [`, `"specs": ["x",`, 1),
		"a spec of its own":    strings.Replace(whole, `"specs": [`, `"specs": [{"nosuch": 1},`, 1),
		"a spec without steps": strings.Replace(whole, `"steps": 60`, `"steps": 0`, 1),
	} {
		if text == whole {
			t.Fatalf("%s: nothing is changed in\n%s", name, whole)
		}
		if p, err := readPlan(context.Background(), strings.NewReader(text)); err == nil {
			t.Errorf("%s is read as %+v", name, p)
		}
	}
	if _, err := readPlan(context.Background(), strings.NewReader("{")); !errors.Is(err, runset.ErrPlan) {
		t.Error(err)
	}
}

// TestLargePlan: the file and each job of a large plan take as much memory as those of a small one.
func TestLargePlan(t *testing.T) {
	large, small := tinyPlan(), tinyPlan()
	large.Name, small.Name = "k{kappa}-s{seed}", "k{kappa}-s{seed}"
	large.Seeds = firstSeeds(t, 500_000)
	if large.Len() != 1_000_000 || large.Wanted() != 2_000_000 {
		t.Fatal(large.Len(), large.Wanted())
	}
	a, err := large.Marshal()
	ok(t, err)
	b, err := small.Marshal()
	ok(t, err)
	if len(a) > len(b)+10 {
		t.Errorf("a file of %d bytes, of a small plan %d", len(a), len(b))
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

func TestMain(m *testing.M) { schematest.Main(m) }
