package damage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/e2e"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
)

// TestDiffFindsPlantedChange forges a store in which one option does something
// else in one state: it is found, it is all that is found, and replay would not
// call it identical either.
func TestDiffFindsPlantedChange(t *testing.T) {
	const state = 4 // which was visited, so that it weighs
	store := e2e.Small(t)
	planted, was := 0, int8(0)
	forged := e2e.Rewrite(t, store, func(*schema.Spec) {}, func(k int, kind schema.Kind, record []byte) []byte {
		if k != 1 || kind != schema.KindOption {
			return record
		}
		o, err := schema.DecodeOption(record)
		e2e.Must(t, err)
		if o.Purpose.J != 2 || o.Purpose.Sign != -1 {
			return record
		}
		planted, was = planted+1, o.Policy[state]
		o.Policy[state] = 0
		if was == 0 {
			o.Policy[state] = 1
		}
		record, err = o.Encode()
		e2e.Must(t, err)
		return record
	})
	code, stdout, stderr := e2e.Podtrack("diff", "@1", "@1", "--store", store, "--other", forged, "--json",
		"--agreement", "1")
	var r diff.Report
	e2e.Must(t, json.Unmarshal([]byte(stdout), &r))
	if code != cmdline.ExitDifference || planted != 1 || r.Identical || r.Equivalent || r.Divergence == nil ||
		r.Divergence.K != 1 || r.Divergence.Stage != "learn" {
		t.Fatalf("exit code %d, %s, planted %d, %+v", code, stderr, planted, r)
	}
	for _, it := range r.Iterations {
		if it.Identical != (it.K != 1) || len(it.OnlyA)+len(it.OnlyB) > 0 {
			t.Errorf("iteration %d: %+v", it.K, it)
		}
		for _, p := range it.Pairs {
			other := int8(0) // of two actions
			if was == 0 {
				other = 1
			}
			var want []diff.Disagreement
			if it.K == 1 && strings.HasSuffix(p.A, ":1/2-") {
				want = []diff.Disagreement{{State: state, A: was, B: other}}
			}
			if p.Differing != len(want) || !slices.Equal(p.States, want) || p.Cosine != 1 || p.RMSE != 0 {
				t.Errorf("%s and %s: %+v", p.A, p.B, p.BehaviourSimilarity)
			}
		}
	}
	_, text, _ := e2e.Podtrack("diff", "@1:1/2-", "@1:1/2-", "--store", store, "--other", forged)
	if !strings.Contains(text, fmt.Sprintf("different  in 1 state: %d (", state)) || strings.Contains(text, "identical") {
		t.Errorf("of the two options:\n%s", text)
	}
}

// TestDiffOfDamage: a record that is gone or says what none may say is told from
// a difference, without a trace of a report.
func TestDiffOfDamage(t *testing.T) {
	t.Parallel()
	store := e2e.Small(t)
	same := func(*schema.Spec) {}
	copied := e2e.Rewrite(t, store, same, func(_ int, _ schema.Kind, record []byte) []byte { return record })
	damageTransitions(t, copied, 1)
	malformed := func(damage schema.Kind, bytes []byte) string {
		return e2e.Rewrite(t, store, same, func(k int, kind schema.Kind, record []byte) []byte {
			if k == 1 && kind == damage {
				return bytes
			}
			return record
		})
	}
	wide, err := schema.Factors{Dims: 1, Sigma: []float64{9}, V: []float64{1}}.Encode()
	e2e.Must(t, err)
	short, err := schema.Value{1, 2, 3}.Encode()
	e2e.Must(t, err)
	for name, c := range map[string]struct{ store, says string }{
		"missing":         {copied, "not in the store"},
		"not a record":    {malformed(schema.KindOption, []byte("no record")), "bytes end too early"},
		"other features":  {malformed(schema.KindFactors, wide), "factors of 1 features"},
		"too few values":  {malformed(schema.KindValue, short), "values of 3 states"},
		"another's bytes": {malformed(schema.KindTransitions, short), "a value record"},
	} {
		for _, args := range [][]string{{"@1", "@1"}, {"@1:1", "@1:1"}, {"@1:1/1+", "@1:1/1+"}} {
			code, stdout, stderr := e2e.Podtrack(append([]string{"diff", "--store", store, "--other", c.store}, args...)...)
			if code != cmdline.ExitDifference || stdout != "" || !strings.Contains(stderr, "iteration 1: record ") ||
				!strings.Contains(stderr, c.says) || !strings.Contains(stderr, "\n  podtrack replay") {
				t.Errorf("%s, %v: exit code %d\n%s%s", name, args, code, stdout, stderr)
			}
		}
	}
	code, stdout, stderr := e2e.Podtrack("diff", "--group", "@1", "--store", malformed(schema.KindFactors, wide))
	if code != cmdline.ExitDifference || stdout != "" || !strings.Contains(stderr, "factors of 1 features") {
		t.Errorf("a group: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// keys returns the names of all fields of a JSON document, as paths.
func keys(path string, v any) []string {
	var all []string
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(append(all, path+name), keys(path+name+".", v[name])...)
		}
	case []any:
		if len(v) > 0 {
			return keys(path, v[0])
		}
	}
	return all
}

// TestDiffJSON pins the names that scripts may rely on.
func TestDiffJSON(t *testing.T) {
	store := e2e.Small(t, "--seeds", "0-1")
	pair := func(path string) []string {
		names := []string{"a", "b", "born_a", "born_b", "cosine", "differing", "initiation_jaccard", "matched", "number_a",
			"number_b", "option_similarity", "policy_agreement", "policy_agreement_ties",
			"policy_agreement_visits", "sigma_a", "sigma_b", "states", "states.a", "states.b", "states.state",
			"terminal_agreement", "value_max", "value_rmse", "value_rmse_visits"}
		for i, n := range names {
			names[i] = path + n
		}
		return names
	}
	within := func(path string, names ...string) (list []string) {
		for _, n := range names {
			list = append(list, path+"."+n)
		}
		return list
	}
	distinct := []string{"directions", "first", "found", "high", "low", "members", "name", "prevalence", "runs", "sigma"}
	chance := []string{"chance", "chance.draws", "chance.mean", "chance.p95"}
	spec := []string{"spec", "spec.a", "spec.b", "spec.field"}
	iterations := slices.Concat([]string{"a", "agreement", "b"}, chance,
		[]string{"clusters", "cosine", "dimensions", "equivalent", "identical", "k", "only_a", "only_b", "overlap",
			"overlap_most", "pairs"},
		pair("pairs."), []string{"threshold"})
	for i, n := range iterations {
		iterations[i] = "iterations." + n
	}
	report := slices.Concat([]string{"a", "b", "done", "equivalent", "identical", "iterations"}, iterations,
		[]string{"lineages", "lineages.a", "lineages.a.born", "lineages.a.purposes", "lineages.b", "lineages.b.born",
			"lineages.b.purposes", "parted", "parted.k", "parted.stage"}, spec)
	explored := within("exploration", "a", "b")
	for _, of := range []string{"exploration.a", "exploration.b"} {
		explored = append(explored, within(of, "covered", "iterations", "states", "steps", "steps_to_all", "steps_to_half",
			"steps_to_quarter")...)
		explored = append(explored, within(of+".iterations", "covered", "covered_share", "entropy", "entropy_normalised",
			"k",
			"new_states", "options", "options.end_sets", "options.initiation_overlap", "options.start_share",
			"options.termination_overlap", "steps")...)
	}
	explored = append(append(explored, "exploration", "exploration.shared"),
		within("exploration.shared", "k", "overlap", "states")...)
	withExploration := slices.Sorted(slices.Values(slices.Concat(report, explored)))
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"exploration": {[]string{"@1", "@2", "--exit-zero", "--exploration"}, withExploration},
		"runs":        {[]string{"@1", "@2", "--exit-zero"}, report},
		"iterations":  {[]string{"@1:0", "@2:0", "--exit-zero"}, report},
		"options": {[]string{"@1:0/1+", "@2:0/1+", "--exit-zero"},
			slices.Concat([]string{"actions", "agreement"}, chance, []string{"equivalent", "features", "identical", "pair"},
				pair("pair."), []string{"run_a", "run_b"}, spec, []string{"threshold", "vector_a", "vector_b"})},
		"group": {[]string{"--group", "seed=0-1"},
			slices.Concat([]string{"by"}, chance, []string{"dendrogram", "dendrogram.leaves", "dendrogram.merges"},
				within("dendrogram.merges", "a", "b", "height", "runs"),
				[]string{"dimensions", "directions", "draws", "draws_seed", "empty", "found_dendrogram",
					"found_dendrogram.leaves", "found_dendrogram.merges"},
				within("found_dendrogram.merges", "a", "b", "height", "runs"), []string{"iterations"},
				within("iterations", "above_chance", "chance", "excess", "excess_high", "excess_level",
					"excess_low", "high", "k", "low", "observed", "of", "p", "p_holm", "references", "runs", "size",
					"unknown", "verdict"),
				[]string{"level", "linkage", "notes", "options", "options.count", "options.distinct"},
				within("options.distinct", distinct...), []string{"options.similarity", "options.states", "options.threshold",
					"purposes"},
				within("purposes", append(distinct, "vector")...),
				[]string{"runs", "runs.iterations", "runs.label", "runs.run", "runs.seed", "sharing"},
				within("sharing", "chance_mean", "chance_p95", "draws", "most", "unknown"),
				[]string{"similarity", "threshold", "verdict"})},
	} {
		code, stdout, stderr := e2e.Podtrack(append([]string{"diff", "--store", store, "--json"}, c.args...)...)
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); err != nil || code != 0 {
			t.Fatalf("%s: %v, exit code %d, %s", name, err, code, stderr)
		}
		if d := cmp.Diff(c.want, keys("", v)); d != "" {
			t.Errorf("%s: - want, + printed\n%s", name, d)
		}
	}
}
