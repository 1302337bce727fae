package group

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// run is one run of a group: a name, what its spec changes, and its distances
// by iteration, negative for none.
type run struct {
	name      string
	change    func(*schema.Spec)
	distances []int64
}

func seed(n uint64) func(*schema.Spec) { return func(s *schema.Spec) { s.Seed = n } }

// group makes a group of complete runs, each of them with its own parameters.
func group(filter string, runs ...run) Group {
	g := Group{Filter: filter}
	for _, r := range runs {
		spec := pod.PaperSpec()
		r.change(&spec)
		id, err := schema.RunID(spec, nil)
		if err != nil {
			panic(err)
		}
		var history []schema.Measures
		for k, d := range r.distances {
			m := schema.Measures{Purposes: int64(k + 1)}
			if d >= 0 {
				m.Distance = &d
			}
			history = append(history, m)
		}
		described := report.Run{
			ID: id, Short: id.String()[:7], Name: r.name, Spec: spec, Iterations: len(history), Target: len(history),
			Status: tracker.Complete,
		}
		g.runs = append(g.runs, described)
		g.Runs = append(g.Runs, member(described))
		g.histories = append(g.histories, history)
	}
	return g
}

func labels(members []Member) string {
	var all []string
	for _, m := range members {
		all = append(all, m.Label)
	}
	return strings.Join(all, " ")
}

// TestLacks: a run lacks what its target asks for, or what another run has.
func TestLacks(t *testing.T) {
	a := group("a", run{"whole", seed(0), []int64{1, 1, 1}}, run{"short", seed(1), []int64{1}},
		run{"stopped", seed(2), []int64{1, 1}}, run{"broken", seed(3), nil})
	a.runs[2].Target, a.runs[2].Status = 6, tracker.Interrupted
	a.runs[3].Target, a.runs[3].Status, a.runs[3].Failure = 2, tracker.Failed, "no more"
	b := group("b", run{"long", seed(4), []int64{1, 1, 1, 1}})
	say := func(lacks []MissingRun) string {
		var all []string
		for _, l := range lacks {
			all = append(all, fmt.Sprintf("%s %s%s %d-%d", l.Label, l.Status, l.Failure, l.From, l.To))
		}
		return strings.Join(all, ", ")
	}
	c, err := Compare(context.Background(), []Group{a, b}, "", []string{"purposes"})
	if err != nil {
		t.Fatal(err)
	}
	if got := say(c.Groups[0].Lacks); got != "whole complete 3-3, short complete 1-3, stopped interrupted 2-5, broken "+
		"failedno more 0-3" {
		t.Errorf("a lacks %s", got)
	}
	if len(c.Groups[1].Lacks) != 0 {
		t.Errorf("b lacks %s", say(c.Groups[1].Lacks))
	}
	s := summarise(a, "purposes")
	if got := say(s.Lacks); got != "short complete 1-2, stopped interrupted 2-5, broken failedno more 0-2" {
		t.Errorf("alone, a lacks %s", got)
	}
	for k, want := range []int{3, 2, 1} {
		if n := s.Measures[0].Iterations[k].N; n != want {
			t.Errorf("iteration %d: %d runs, want %d", k, n, want)
		}
	}
}

// TestUndefined leaves a run out where its measure is not defined, and a pair
// where either run's is not.
func TestUndefined(t *testing.T) {
	a := group("a", run{"a0", seed(0), []int64{-1, 10}}, run{"a1", seed(1), []int64{-1, 20}}, run{
		"a2", seed(2), []int64{-1, 60},
	})
	b := group("b", run{"b0", seed(0), []int64{4, 11}}, run{"b1", seed(1), []int64{6, -1}},
		run{"b2", seed(2), []int64{8, 65}})
	c, err := Compare(context.Background(), []Group{a, b}, "seed", []string{"distance"})
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.Measures[0].Iterations[0].Groups, c.Measures[0].Iterations[1].Groups
	if first[0].N != 0 || first[0].Mean != nil || first[1].N != 3 || *first[1].Mean != 6 || *first[1].Against.Pairs != 0 ||
		first[1].Against.Difference != nil {
		t.Errorf("iteration 0: %+v", first)
	}
	if second[0].N != 3 || *second[0].Mean != 30 || second[1].N != 2 || *second[1].Mean != 38 {
		t.Errorf("iteration 1: %+v", second)
	}
	if a := second[1].Against; *a.Pairs != 2 || a.Difference.Value != 3 { // 11 − 10 and 65 − 60, not 38 − 30
		t.Errorf("iteration 1: %d pairs, %+v", *a.Pairs, a.Difference)
	}
	c, err = Compare(context.Background(), []Group{a, b}, "", []string{"distance"})
	if err != nil || c.Pairings[1] != nil {
		t.Fatal(c.Pairings, err)
	}
	if row := c.Measures[0].Iterations[1].Groups[1].Against; row.Pairs != nil || row.Difference.Value != 8 {
		t.Errorf("unpaired: %+v", row)
	}
}

func TestPairing(t *testing.T) {
	a := group("a", run{"a0", seed(0), []int64{1}}, run{"a1", seed(1), []int64{1}}, run{"a9", seed(9), []int64{1}})
	b := group("b", run{"b1", seed(1), []int64{1}}, run{"b0", seed(0), []int64{1}}, run{"b7", seed(7), []int64{1}},
		run{"b8", seed(8), []int64{1}})
	c, err := Compare(context.Background(), []Group{a, b}, "seed", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Pairings[1]; p.Field != "seed" || p.Pairs != 2 || labels(p.UnpairedA) != "a9" ||
		labels(p.UnpairedB) != "b7 b8" {
		t.Errorf("%+v", p)
	}
	for _, p := range c.Pairings[1].runPairs {
		if a.runs[p.a].Seed != b.runs[p.b].Seed {
			t.Errorf("%s and %s are partners", a.runs[p.a].Name, b.runs[p.b].Name)
		}
	}
	hidden := func(s *schema.Spec) { s.Env.Params["hide"] = 3 }
	twice := group("twice", run{"x", seed(0), []int64{1}}, run{"y", seed(1), []int64{1}}, run{"z", hidden, []int64{1}})
	fork := group("fork", run{"origin", seed(0), []int64{1}}, run{"fork", seed(0), []int64{1}})
	for _, refused := range []struct {
		a, b        Group
		field       string
		says, mends string
	}{
		{twice, b, "seed", "group a has several runs of seed 0: x, z", "add hide=0 or hide=3"},
		{a, twice, "seed", "group b has several runs of seed 0: x, z", "these differ in hide"},
		{a, fork, "seed", "group b has several runs of seed 0: origin, fork", "a fork"},
		{a, b, "colour", `no field "colour"`, "the fields are env, bits, hide, seed"},
		{
			group("a", run{"one", seed(1), []int64{1}}), group("b", run{"two", seed(2), []int64{1}}), "seed",
			"no run of a has the seed of a run of b", "leave --paired out",
		},
	} {
		_, err := Compare(context.Background(), []Group{refused.a, refused.b}, refused.field, nil)
		if !errors.Is(err, ErrPairing) || !strings.Contains(err.Error(), refused.says) ||
			!strings.Contains(schema.Remedy(err), refused.mends) {
			t.Errorf("%v (%s), want %q (%s)", err, schema.Remedy(err), refused.says, refused.mends)
		}
	}
}

// TestSpecs says in what groups differ, and in what they vary.
func TestSpecs(t *testing.T) {
	spec := func(seed uint64, kappa float64, hide int64) func(*schema.Spec) {
		return func(s *schema.Spec) { s.Seed, s.Kappa, s.Env.Params["hide"] = seed, kappa, hide }
	}
	a := group("a", run{"a10", spec(10, 1, 0), []int64{1}}, run{"a9", spec(9, 1, 0), []int64{1}}, run{
		"same", spec(5, 2, 0), []int64{1},
	})
	b := group("b", run{"b", spec(5, 2, 3), []int64{1}}, run{"same", spec(5, 2, 0), []int64{1}})
	c, err := Compare(context.Background(), []Group{a, b}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []FieldValues{
		{"hide", [][]string{{"0"}, {"0", "3"}}}, {"seed", [][]string{{"5", "9", "10"}, {"5"}}},
		{"kappa", [][]string{{"1", "2"}, {"2"}}},
	}
	if diff := cmp.Diff(want, c.Fields); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(c.Environments, " "); got != "hide" || labels(c.Shared) != "same" {
		t.Errorf("environments differ in %q; in both %q", got, labels(c.Shared))
	}
	newer := func(s *schema.Spec) { s.Env.Version++ }
	c, err = Compare(context.Background(), []Group{group("a", run{"a", spec(1, 1, 0), []int64{1}}),
		group("b", run{"b", newer, []int64{1}})}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]FieldValues{{"seed", [][]string{{"1"}, {"0"}}}}, c.Fields); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(c.Environments, " "); got != "version" {
		t.Errorf("environments differ in %q", got)
	}
}

// TestOrderOfRuns: no number depends on it.
func TestOrderOfRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []run {
			var runs []run
			for i := range rapid.IntRange(2, 8).Draw(t, "runs of "+name) {
				runs = append(runs, run{
					fmt.Sprint(name, i), seed(uint64(i)),
					rapid.SliceOfN(rapid.Int64Range(-1, 20), 1, 3).Draw(t, "distances"),
				})
			}
			return runs
		}
		a, b := draw("a"), draw("b")
		for _, field := range []string{"", "seed"} {
			one, err := Compare(context.Background(), []Group{group("a", a...), group("b", b...)}, field, schema.MeasureNames())
			if err != nil {
				t.Fatal(err)
			}
			shuffledA, shuffledB := rapid.Permutation(a).Draw(t, "order of a"),
				rapid.Permutation(b).Draw(t, "order of b")
			other, err := Compare(context.Background(), []Group{group("a", shuffledA...), group("b", shuffledB...)}, field,
				schema.MeasureNames())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(one.Measures, other.Measures); diff != "" {
				t.Fatalf("paired by %q:\n%s", field, diff)
			}
		}
	})
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := group("g", run{"r", seed(0), []int64{1}})
	if _, err := Compare(ctx, []Group{g, g}, "", []string{"distance"}); !errors.Is(err, replay.ErrInterrupted) ||
		schema.Remedy(err) == "" {
		t.Error(err)
	}
}

// summarise summarises a group in a measure.
func summarise(g Group, measure string) Summary {
	return SummariseAll(nil, []Group{g}, []string{measure}).Groups[0]
}
