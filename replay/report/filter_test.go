package report_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// sample returns a run as a list shows it.
func sample(seed uint64, change func(*report.Run)) report.Run {
	spec := pod.PaperSpec()
	spec.Seed = seed
	r := report.Run{
		ID: schema.Name([]byte{byte(seed)}), Name: "k1-s" + strings.Repeat("I", int(seed)), Seed: seed, Env: "ring",
		Reading:    "as-written",
		Iterations: 3, Target: 6, Status: tracker.Interrupted, Tags: []string{"study", "pilot-2"}, Note: "a note",
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Spec: spec,
	}
	distance := int64(41)
	r.Measures = &schema.Measures{Purposes: 6, Distance: &distance}
	r.Short, r.Head = r.ID.String()[:7], &r.ID
	if change != nil {
		change(&r)
	}
	return r
}

// matches reports whether a filter without measures matches the run.
func matches(t *testing.T, f report.Filter, r report.Run) bool {
	t.Helper()
	matched, err := f.Match(nil, &r)
	if err != nil {
		t.Fatal(err)
	}
	return matched
}

func TestFilterMatches(t *testing.T) {
	run := sample(7, func(r *report.Run) { r.Spec.Gamma, r.Spec.Tolerance, r.Spec.Kappa = 0.5, 1e-9, 2 })
	other := sample(2, nil)
	id := run.ID.String()
	for _, c := range []struct {
		terms string // separated by blanks
		want  bool
	}{
		{"", true},
		{"seed=7", true},
		{"seed=07", true}, // as numbers
		{"seed=7.0", true},
		{"seed=8", false},
		{"seed=0-29", true},
		{"seed=7-7", true},
		{"seed=8-29", false},
		{"seed=0-6", false},
		{"seed=1,3,7-9", true},
		{"seed=1,3,8-9", false},
		{"seed=*", true},

		{"tolerance=1e-9", true},
		{"tolerance=1e-09", true},
		{"tolerance=0.000000001", true},
		{"tolerance=1e-8", false},
		{"tolerance=1e-10-1e-8", true},
		{"tolerance=1e-12-1e-10", false},
		{"tolerance=0-1e-9", true}, // both ends belong to it
		{"tolerance=1e-9-1", true},
		{"gamma=0.5", true},
		{"gamma=0.4-0.6", true},
		{"gamma=.5", true},
		{"gamma=0.99", false},
		{"kappa=-1-3", true},
		{"kappa=-3--1", false},
		{"kappa=2e0", true},

		{"reading=as-written", true},
		{"reading=as-*", true},
		{"reading=*published", false},
		{"reading=as-published,as-written", true},
		{"status=interrupted", true},
		{"status=complete", false},
		{"iterations=3 target=6", true},
		{"iterations=3 target=5", false},
		{"env=ring", true},
		{"bits=12", true},
		{"bits=10-11", false},
		{"hide=0", true},
		{"dataset=iteration basis=right-singular", true},
		{"note=a*", true},
		{"name=k1-s*", true},
		{"name=k[12]-s*", false}, // only * and ? are patterns
		{"name=*s?IIIII*", true},
		{"name=*s???????", true},
		{"name=*s??????", false},
		{"created=2026-01-02", true},
		{"parent=", true},

		{"tag=study", true},
		{"tag=pilot-*", true},
		{"tag=none", false},
		{"tag=none,study", true},
		{"tag=study tag=pilot-2", true},
		{"tag=study tag=none", false},
		{"tag=study,pilot-2", true},

		{"run=" + id, true},
		{"run=" + id[:5], true},
		{"run=" + other.ID.String(), false},
		{"run=" + other.ID.String() + "," + id[:4], true},
		{"run=" + strings.ToUpper(id[:9]), true},
		{"run=", false},
		{"head=" + id[:6], true},
		{"head=" + id[1:6], false},
		{"head=", false},
		{"kappa<=2", true},
		{"kappa.le=2", true},
		{"kappa<2", false},
		{"kappa>2", false},
		{"kappa>=2", true},
		{"kappa.gt=1.5 kappa.lt=2.5", true},
		{"kappa!=2", false},
		{"kappa!=1,3", true},
		{"kappa.ne=0-3", false},
		{"seed>6 seed<8", true},
		{"created>2026-01-01", true},
		{"created<2026-01-02", false},
		{"tag~stu", true},
		{"tag.like=stu", true},
		{"tag~xyz", false},
		{"tag!=study", false},
		{"tag!=xyz", true},
		{"name~IIIIIII", true},
		{"about~iiiiiii", true},
		{"about~NOTE", true},
		{"about.like=pilot", true},
		{"about~xyz,stud", true},
		{"about~xyz", false},
		{"status!=complete", true},
		{"head!=" + id[:6], false},
		{"run~" + id[3:9], true},
		{"distance>40", true},
		{"distance=41", true},
		{"distance.gt=41", false},
		{"purposes!=6", false},
		{"option_length>0", false}, // undefined
		{"option_length!=0", false},
		{"option_length=", true},

		{"failure=", true},
		{"failure=x", false},
	} {
		f, err := report.ParseFilter(strings.Fields(c.terms))
		if err != nil {
			t.Errorf("%q: %v", c.terms, err)
			continue
		}
		if got := matches(t, f, run); got != c.want {
			t.Errorf("%q: %v, want %v", c.terms, got, c.want)
		}
	}
	large := sample(7, func(r *report.Run) { r.Spec.Seed = math.MaxUint64 - 1 })
	for seeds, want := range map[string]bool{
		"18446744073709551614": true, "18446744073709551615": false, "18446744073709551613-18446744073709551614": true,
		"0-18446744073709551613": false,
	} {
		if f, err := report.ParseFilter([]string{"seed=" + seeds}); err != nil || matches(t, f, large) != want {
			t.Errorf("seed=%s: %v, %v", seeds, !want, err) // these are one float
		}
	}
	begun := sample(7, func(r *report.Run) { r.Head = nil })
	if f, err := report.ParseFilter([]string{"head=*"}); err != nil || matches(t, f, begun) {
		t.Errorf("a run without a head: %v", err)
	}
	untagged := sample(7, func(r *report.Run) { r.Tags = nil })
	f, err := report.ParseFilter([]string{"tag=*"})
	if err != nil || matches(t, f, untagged) || !matches(t, f, run) {
		t.Errorf("tag=* is for runs with a tag: %v", err)
	}
}

func TestFilterRefuses(t *testing.T) {
	for term, hint := range map[string]string{
		"Colour=red":       "the keys are",
		"=x":               "the keys are",
		"seed=9-0":         "smaller number first",
		"seed=1,9-0":       "smaller number first",
		"gamma=0.9-0.1":    "smaller number first",
		"tolerance=1-1e-9": "smaller number first",
		"status=compleet":  "did you mean complete?",
		"learner=foo":      "the values are sweeps, exact",
		"method=a,b":       "the values are pod, laplacian",
		"basis=x":          "rows-of-v",
		"select=share": "the values are threshold, threshold:sigma2, threshold:rms, below, all, none, top=N, energy=P, " +
			"sample=N, novel=C, NAME VERSION of a program; select=share* finds those that begin with share",
		"select=energy":  "did you mean energy=P?",
		"learner=own":    "q-learning, NAME VERSION of a program; learner=own* finds",
		"measure=score":  "the values are none, NAME VERSION of a program; measure=score* finds",
		"lifetime=last":  "the values are keep, replace, last=N",
		"behaviour=zeta": "the values are uniform, zeta=Z, geometric=MEAN",
		"leave_out=3,x":  "the values are none, numbers of options such as 3+17",
		"reading=as":     "covering-eigenoptions, BASIS+DATASET",
		"keep=optoins":   "did you mean options? the values are transitions, factors, values, options, all, none",
		"dataset=x":      "cumulative",
		"seed=abc":       "seed>2 are terms",
		"distance=far":   "distance>2 are terms",
		"kappa>1,2":      "kappa>2 are terms",
		"kappa<":         "kappa>2 are terms",
		"name<3":         "compares numbers",
		"learner>1":      "compares numbers",
		"!":              "the keys are",
	} {
		_, err := report.ParseFilter([]string{"bits=12", term})
		if !errors.Is(err, report.ErrFilter) || !strings.Contains(schema.Remedy(err), hint) {
			t.Errorf("%s: %v (%s), want a hint of %q", term, err, schema.Remedy(err), hint)
		}
	}
}

func TestIsTerm(t *testing.T) {
	for arg, want := range map[string]bool{"seed=3": true, "=": true, "seed>3": true, "seed!=3": true,
		"tag~x": true, "kappa.le=2": true, "not~a~key": true, "a<b": true, "a!b": false,
		"score>1.5": true, "Score>1": true, "no!": false, "7c6db5d": false, "@1": false,
		"name": false} {
		if report.IsTerm(arg) != want {
			t.Errorf("%q: %v", arg, !want)
		}
	}
}

// TestFilterKeys: every key is known to a run, and can be sorted and filtered by.
func TestFilterKeys(t *testing.T) {
	r := sample(1, nil)
	keys := report.FilterKeys()
	for _, must := range []string{"run", "tag", "seed", "bits", "hide", "reading", "kappa", "parent", "data",
		"features", "numerics"} {
		if !slices.Contains(keys, must) {
			t.Errorf("no key %s", must)
		}
	}
	other := []string{schema.EnvVersion} // fields that only other environments have
	for _, b := range envs.RegisteredEnvs() {
		env, err := envs.DefaultEnv(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range env.Parameters() {
			if slices.Contains(report.RunFields, name) {
				t.Errorf("environment %s: the parameter %s has the name of a column", b.Name, name)
			}
			if _, found := r.Spec.Env.Parameter(name); !found {
				other = append(other, name)
			}
		}
	}
	for _, key := range keys {
		if _, found := r.Field(key); found == slices.Contains(other, key) {
			t.Errorf("a run has no %s", key)
		}
		if err := report.Sort(nil, "-"+key); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(keys)
	if n := len(slices.Compact(slices.Clone(keys))); n != len(keys) {
		t.Errorf("a key is there twice: %v", keys)
	}
}

func TestSort(t *testing.T) {
	seeds := []uint64{9, 10, 2, 1}
	names := []string{"run-9", "run-10", "run-2", "run-10"}
	var runs []report.Run
	for i, seed := range seeds {
		runs = append(runs, sample(seed, func(r *report.Run) { r.Name = names[i] }))
	}
	for _, c := range []struct {
		key  string
		want []uint64
	}{
		{"seed", []uint64{1, 2, 9, 10}},    // as numbers
		{"-seed", []uint64{10, 9, 2, 1}},   // downwards
		{"name", []uint64{10, 1, 2, 9}},    // as text, and stable
		{"-name", []uint64{9, 2, 10, 1}},   // stable downwards too
		{"kappa", []uint64{9, 10, 2, 1}},   // all equal
		{"-target", []uint64{9, 10, 2, 1}}, // all equal
		{"kappa,seed", []uint64{1, 2, 9, 10}},
		{"-name,seed", []uint64{9, 2, 1, 10}},
		{"name,-seed", []uint64{10, 1, 2, 9}},
	} {
		sorted := slices.Clone(runs)
		if err := report.Sort(sorted, c.key); err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, r := range sorted {
			got = append(got, r.Seed)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("by %s: %v, want %v", c.key, got, c.want)
		}
	}
	if err := report.Sort(runs, "colour"); !errors.Is(err, report.ErrFilter) ||
		!strings.Contains(schema.Remedy(err), "seed") {
		t.Errorf("by colour: %v", err)
	}
}
