package group

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// kappa sets a run's seed and κ.
func kappa(seed uint64, value float64) func(*schema.Spec) {
	return func(s *schema.Spec) { s.Seed, s.Kappa = seed, value }
}

// TestSplit: parts are in order of their numbers, the first field first, and none without runs.
func TestSplit(t *testing.T) {
	g := group("g", run{"a", kappa(2, 10), nil}, run{"b", kappa(1, 10), nil}, run{"c", kappa(1, 9), nil},
		run{"d", kappa(2, 1e-3), nil}, run{"e", kappa(1, 10), nil})
	var got []string
	for _, p := range split(g.runs, []string{"kappa", "seed"}) {
		names := strings.Join(p.values, ",") + ":"
		for _, r := range p.runs {
			names += r.Name
		}
		got = append(got, names)
	}
	if want := []string{"0.001,2:d", "9,1:c", "10,1:be", "10,2:a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if parts := split(g.runs, nil); len(parts) != 1 || len(parts[0].runs) != 5 {
		t.Errorf("by nothing: %v", parts)
	}
}

func TestParseBy(t *testing.T) {
	if fields, err := ParseBy("kappa,reading,kappa"); err != nil || !slices.Equal(fields, []string{"kappa", "reading"}) {
		t.Errorf("%q, %v", fields, err)
	}
	for list, mends := range map[string]string{"Kappa": "did you mean kappa?", "": "the fields are",
		"seed,": "the fields are", "age": "created", "kappa,distance": "such as kappa"} {
		if _, err := ParseBy(list); !errors.Is(err, ErrBy) || !strings.Contains(schema.Remedy(err), mends) {
			t.Errorf("%q: %v (%s)", list, err, schema.Remedy(err))
		}
	}
}

// TestLastShared is the last iteration of the shortest group that has one.
func TestLastShared(t *testing.T) {
	long, short := group("a", run{"a", seed(0), []int64{1, 1, 1}}), group("b", run{"b", seed(1), []int64{1, 1}})
	none := group("c", run{"c", seed(2), nil})
	if got := LastShared([]Group{none, long, short}); got != 1 {
		t.Errorf("%d, want 1", got)
	}
	all := SummariseAll([]string{"seed"}, []Group{none, long, short}, []string{"distance"})
	if all.Reach != 3 || all.Last != 1 || len(all.Groups[2].Measures[0].Iterations) != 3 ||
		len(all.Groups[2].Lacks) != 1 {
		t.Errorf("%+v", all)
	}
}

// TestCompareAll: every group is compared with the first as two groups are, with wider intervals, and
// p-values are adjusted for their number.
func TestCompare(t *testing.T) {
	make := func(name string, distances ...int64) Group {
		var runs []run
		for i, d := range distances {
			runs = append(runs, run{fmt.Sprint(name, i), seed(uint64(i)), []int64{d}})
		}
		return group(name, runs...)
	}
	a, b, c := make("a", 10, 12, 14, 11), make("b", 20, 23, 21, 25), make("c", 10, 13, 15, 10)
	for _, field := range []string{"", "seed"} {
		all, err := Compare(context.Background(), []Group{a, b, c}, field, []string{"distance"})
		if err != nil {
			t.Fatal(err)
		}
		row := all.Measures[0].Iterations[0]
		if row.Groups[0].Against != nil || math.Abs(all.EachLevel-0.975) > 1e-15 || all.Last != 0 {
			t.Errorf("%+v", all)
		}
		var p [2]float64
		for i, other := range []Group{b, c} {
			two, err := Compare(context.Background(), []Group{a, other}, field, []string{"distance"})
			if err != nil {
				t.Fatal(err)
			}
			other, got := two.Measures[0].Iterations[0].Groups[1], row.Groups[i+1]
			narrow := other.Against
			if diff := cmp.Diff(other.Summary, got.Summary); diff != "" {
				t.Error(diff)
			}
			if got.Against.Difference.Value != narrow.Difference.Value || *got.Against.PValue != *narrow.PValue ||
				!(*got.Against.Difference.Low < *narrow.Difference.Low) || !cmp.Equal(got.Against.Pairs, narrow.Pairs) {
				t.Errorf("%+v of %+v", got.Against, narrow)
			}
			p[i] = *narrow.PValue
		}
		want := stats.Holm(p[:])
		if *row.Groups[1].Against.Adjusted != want[0] || *row.Groups[2].Against.Adjusted != want[1] {
			t.Errorf("adjusted %v and %v, want %v", *row.Groups[1].Against.Adjusted, *row.Groups[2].Against.Adjusted, want)
		}
	}
	if _, err := Compare(context.Background(), []Group{a, b, group("c", run{"x", seed(9), []int64{1}})}, "seed",
		nil); err == nil ||
		!strings.Contains(err.Error(), "no run of a has the seed of a run of c") {
		t.Errorf("%v", err)
	}
}

func TestMoveBaseline(t *testing.T) {
	groups := []Group{{Values: []string{"1", "x"}}, {Values: []string{"2", "x"}}, {Values: []string{"2", "y"}}}
	if err := moveBaseline(groups, []string{"kappa", "tag"}, "2,y"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		got = append(got, strings.Join(g.Values, ""))
	}
	if strings.Join(got, " ") != "2y 1x 2x" {
		t.Errorf("%q", got)
	}
	if err := moveBaseline(groups, []string{"kappa", "tag"}, "2,z"); !errors.Is(err, ErrBy) ||
		!strings.Contains(schema.Remedy(err), "did you mean 2,") {
		t.Errorf("%v (%s)", err, schema.Remedy(err))
	}
}

// TestSetAside: of runs that share iterations the one with the fewest ancestors stays, then the longest, whatever their
// order; a run without an iteration shares none.
func TestSetAside(t *testing.T) {
	g := group("g", run{"root", seed(1), []int64{1}}, run{"other", seed(2), []int64{1}}, run{"fork", seed(3), []int64{1}},
		run{"long", seed(4), []int64{1, 1}}, run{"far", seed(5), []int64{1, 1, 1}}, run{"none", seed(6), nil})
	gone := schema.Digest{1}
	from := func(run int, ancestors ...schema.Digest) {
		for _, a := range ancestors {
			g.runs[run].Ancestors = append(g.runs[run].Ancestors, report.Ancestor{Run: a})
		}
	}
	from(2, g.runs[0].ID)
	from(3, gone)
	from(4, gone, g.runs[3].ID)
	from(5, g.runs[0].ID)
	names := func(runs []report.Run) (all []string) {
		for _, r := range runs {
			all = append(all, r.Name)
		}
		slices.Sort(all)
		return all
	}
	for range 2 {
		stay, aside := setAside(g.runs)
		if got := names(stay); !slices.Equal(got, []string{"long", "none", "other", "root"}) {
			t.Errorf("%q stay", got)
		}
		for _, d := range aside {
			if d.Name+" with "+d.With.Name != map[string]string{"fork": "fork with root", "far": "far with long"}[d.Name] {
				t.Errorf("%s is set aside with %s", d.Name, d.With.Name)
			}
		}
		if len(aside) != 2 {
			t.Errorf("%d runs are set aside", len(aside))
		}
		slices.Reverse(g.runs)
	}
}

// TestChooseBaseline: the first group of several runs that have an iteration, with a value of every field.
func TestChooseBaseline(t *testing.T) {
	of := func(value string, runs ...[]int64) Group {
		g := Group{Values: []string{value}}
		for _, distances := range runs {
			g.histories = append(g.histories, group("", run{"r", seed(0), distances}).histories[0])
		}
		return g
	}
	one, none := []int64{1}, []int64(nil)
	groups := []Group{of("", one, one), of("single", one), of("begun", one, none), of("good", one, one),
		of("also", one, one)}
	if chooseBaseline(groups); groups[0].Values[0] != "good" || groups[1].Values[0] != "" || TestsNothing(groups) {
		t.Errorf("%s, then %s", groups[0].Values, groups[1].Values)
	}
	singles := []Group{of("b", one), of("a", one)}
	if chooseBaseline(singles); singles[0].Values[0] != "b" || TestsNothing(singles) {
		t.Errorf("of single runs %s", singles[0].Values)
	}
	if !TestsNothing([]Group{of("a", one), of("b", one, one)}) {
		t.Error("a single run tests something")
	}
}

func TestLetter(t *testing.T) {
	if got := Letter(0) + Letter(25) + Letter(26) + Letter(52); got != "aza1a2" {
		t.Error(got)
	}
}

// TestSplitBy: groups are counted before a record is read.
func TestSplitBy(t *testing.T) {
	runs := make([]report.Run, 3)
	runs[0].Spec.Seed = 1
	s := Chosen{parts: []runSplit{{parts: split(runs, []string{"seed"})}}}
	if s.Groups() != 2 {
		t.Errorf("%d groups", s.Groups())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Read(ctx, (*tracker.Tx)(nil), nil); err == nil { // there is no transaction to read in
		t.Error("the groups were read")
	}
}
