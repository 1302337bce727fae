package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
)

// kinds are the kinds of records of an iteration with transitions.
var kinds = []schema.Kind{
	schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption, schema.KindMeasures,
}

// iteration returns an iteration with records named by the letters of the texts, one text for each kind.
func iteration(walk, factors, values, options, measures string) schema.Iteration {
	var it schema.Iteration
	for i, names := range []string{walk, factors, values, options, measures} {
		for _, name := range names {
			it.Records = append(it.Records, schema.Entry{Kind: kinds[i], Name: schema.Name([]byte(string(name)))})
		}
	}
	it.Link = schema.Name([]byte(walk + factors)) // is not looked at
	return it
}

func TestPart(t *testing.T) {
	base := []schema.Iteration{iteration("ab", "f", "uv", "op", "m"), iteration("c", "g", "w", "q", "n")}
	second := func(it schema.Iteration) []schema.Iteration { return []schema.Iteration{base[0], it} }
	for name, c := range map[string]struct {
		b    []schema.Iteration
		want *report.Divergence
	}{
		"itself":        {base, nil},
		"its beginning": {base[:1], nil},
		"nothing":       {nil, nil},
		"another walk": {
			second(iteration("d", "x", "x", "x", "x")), &report.Divergence{K: 1, Stage: stages.Collect},
		},
		"a chunk more": {
			[]schema.Iteration{iteration("abc", "f", "uv", "op", "m")},
			&report.Divergence{K: 0, Stage: stages.Collect},
		},
		"other factors": {
			second(iteration("c", "x", "x", "x", "x")), &report.Divergence{K: 1, Stage: stages.Factor},
		},
		"another value": {
			second(iteration("c", "g", "x", "q", "n")), &report.Divergence{K: 1, Stage: stages.Learn},
		},
		"another option": {
			second(iteration("c", "g", "w", "x", "n")), &report.Divergence{K: 1, Stage: stages.Learn},
		},
		"an option less": {
			second(iteration("c", "g", "w", "", "n")), &report.Divergence{K: 1, Stage: stages.Learn},
		},
		"another order": {
			[]schema.Iteration{iteration("ab", "f", "uv", "po", "m")},
			&report.Divergence{K: 0, Stage: stages.Learn},
		},
		"other measures": {
			second(iteration("c", "g", "w", "q", "x")), &report.Divergence{K: 1, Stage: stages.Measure},
		},
		"the first place": {
			[]schema.Iteration{iteration("ab", "f", "uv", "op", "x"), iteration("x", "x", "x", "x", "x")},
			&report.Divergence{K: 0, Stage: stages.Measure},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, report.FindDivergence(base, c.b)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want, report.FindDivergence(c.b, base)); diff != "" {
				t.Errorf("the other way round: %s", diff)
			}
		})
	}
}

// TestPartRows: of plain D, the rows are what was collected.
func TestPartRows(t *testing.T) {
	rows := func(name string) []schema.Iteration {
		return []schema.Iteration{{Records: []schema.Entry{{Kind: schema.KindRows, Name: schema.Name([]byte(name))}}}}
	}
	want := &report.Divergence{K: 0, Stage: stages.Collect}
	if diff := cmp.Diff(want, report.FindDivergence(rows("a"), rows("b"))); diff != "" ||
		report.FindDivergence(rows("a"), rows("a")) != nil {
		t.Error(diff)
	}
}

func TestSpecDifferences(t *testing.T) {
	changed := func(f func(*schema.Spec)) schema.Spec {
		s := pod.PaperSpec()
		f(&s)
		return s
	}
	type d = report.SpecDifference
	for name, c := range map[string]struct {
		b    schema.Spec
		want []d
	}{
		"equal": {pod.PaperSpec(), []d{}},
		"seed":  {changed(func(s *schema.Spec) { s.Seed = 3 }), []d{{"seed", "0", "3"}}},
		"several, in the order of fields": {changed(func(s *schema.Spec) {
			s.Numerics, s.Kappa, s.Tolerance, s.Env.Params["hide"] = 1, 1.5, 1e-12, 3
		}),
			[]d{{"hide", "0", "3"}, {"kappa", "1", "1.5"}, {"tolerance", "1e-09", "1e-12"}, {"numerics", "2", "1"}}},
		"reading": {changed(func(s *schema.Spec) { s.Basis, s.Dataset = schema.RowsOfV, schema.Cumulative }),
			[]d{{"basis", "right-singular", "rows-of-v"}, {"dataset", "iteration", "cumulative"}}},
		"another environment": {
			changed(func(s *schema.Spec) {
				s.Env = schema.Env{Name: "grid", Params: map[string]int64{"hide": 0, "rows": 9}}
			}),
			[]d{{"env", "ring", "grid"}, {"bits", "12", ""}, {"rows", "", "9"}},
		},
	} {
		if diff := cmp.Diff(c.want, report.SpecDifferences(pod.PaperSpec(), c.b)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		var back []d
		for _, x := range c.want {
			back = append(back, d{x.Field, x.B, x.A})
		}
		if diff := cmp.Diff(back, report.SpecDifferences(c.b, pod.PaperSpec()),
			cmp.Transformer("set", func(ds []d) map[d]bool {
				set := map[d]bool{}
				for _, x := range ds {
					set[x] = true
				}
				return set
			})); diff != "" {
			t.Errorf("%s, the other way round: %s", name, diff)
		}
	}
}
