package sweep

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

func TestMain(m *testing.M) { schematest.Main(m) }

// TestRegistered: the studies have fresh seeds, as they were registered, and the same runs: the SHA-256 of their IDs in
// the order of settings and variants.
func TestRegistered(t *testing.T) {
	for _, c := range []struct {
		of                 study.Published
		first              uint64
		seeds, comparisons int
		runs               string
	}{
		{study.HeldOut, 4040, 40, 24 * 22, "219b2ed07add8997bfab0471ec2d6b078aed7dfc29a60f225175846235402c50"},
		{study.Superseded, 2000, 60, 150, "e81de145de99e309aa170dc06bdbd6b3e319ea8c3009b196ef0167c86b1c1d71"},
	} {
		published, err := Published(t.Context(), c.of)
		if err != nil {
			t.Fatal(err)
		}
		if s := published.Seeds; s.At(0) != c.first || s.Len() != c.seeds || published.Iterations != pod.PaperIterations ||
			!published.Registered || published.Comparisons != c.comparisons {
			t.Errorf("%s: seeds %s, %d iterations, %d comparisons", c.of.Name, s, published.Iterations, published.Comparisons)
		}
		ids, had := sha256.New(), map[string]bool{}
		for _, in := range published.Settings {
			if had[in.Name] { // by its second outcome
				continue
			}
			had[in.Name] = true
			for _, v := range in.Variants {
				for _, o := range v.Outcomes {
					ids.Write(o.Run[:])
				}
			}
		}
		if sum := fmt.Sprintf("%x", ids.Sum(nil)); sum != c.runs {
			t.Errorf("%s: other runs than those that were made: %s", c.of.Name, sum)
		}
	}
}

// TestPublishedClaims compares what README and the help topic methods claim with what was published.
func TestPublishedClaims(t *testing.T) {
	published, err := Published(t.Context(), study.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	checkGoal(t, published)
	mean := func(setting, variant string) float64 { return stats.Mean(valuesOf(published, setting, variant)).Value }
	for _, c := range []struct {
		in, more string
		less     []string
	}{
		{"ring", "zeta", publishedMethods}, {"ring of 10 bits", "zeta", publishedMethods},
		{"corridor", "zeta", publishedMethods}, {"rooms", "primitives", []string{"zeta", "laplacian", "successor"}},
		{"perfect maze", "primitives", []string{"zeta", "covering, from anywhere"}},
		{"braided maze", "primitives", []string{"zeta", "covering, from anywhere"}},
		{"ring of 10 bits, distance", "complement", []string{"posterior, zeta"}},
		{"ring of 10 bits, distance", "geometric", []string{"posterior, zeta"}},
	} {
		for _, variant := range c.less {
			if more, less := mean(c.in, c.more), mean(c.in, variant); more <= less {
				t.Errorf("%s: %s has %.1f, %s %.1f", c.in, c.more, more, variant, less)
			}
		}
	}
	table := map[string]string{"posterior": "2096 792 5624 407", "posterior, λ 0.01": "1875 697 4937 405",
		"posterior, λ 0.1": "1628 631 3527 403", "posterior, λ 1": "1164 534 2501 399", "complement": "1766 509 3452 328"}
	for variant, want := range table {
		got := fmt.Sprintf("%.0f %.0f %.0f %.0f", mean("ring", variant), mean("ring, 300 steps", variant),
			mean("ring of 14 bits, 3000 steps", variant), mean("rooms", variant))
		if got != want {
			t.Errorf("%s covers %s, the table has %s", variant, got, want)
		}
	}
	for _, in := range published.Settings {
		share := mean(in.Name, "random directions") / mean(in.Name, "posterior, zeta")
		if strings.Contains(in.Name, "ring") && (share < 0.13 || share > 0.55) {
			t.Errorf("%s: random directions have %.2f of the candidate's states", in.Name, share)
		}
	}
}

// TestSupersededClaims compares what the help topic methods still claims with the first study.
func TestSupersededClaims(t *testing.T) {
	first, err := Published(t.Context(), study.Superseded)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]stats.Verdict{"open field: counts, primitives": stats.More,
		"four rooms: counts, primitives": stats.Unsettled, "ring: counts, primitives": stats.Less}
	for _, in := range first.Settings {
		claims[in.Name+": published, replaced, as-published"] = stats.Unsettled
	}
	for _, in := range first.Settings {
		for _, v := range in.Variants {
			for _, a := range v.Against {
				comparison := in.Name + ": " + v.Name + ", " + a.Baseline
				if want, claimed := claims[comparison]; claimed && a.Verdict != want {
					t.Errorf("%s: %q, want %s", comparison, a.Verdict, want)
				}
				delete(claims, comparison)
			}
		}
	}
	if len(claims) > 0 {
		t.Errorf("not compared: %v", claims)
	}
}

// publishedMethods are the variants of the study that others published.
var publishedMethods = []string{"as-written", "as-published", "scaled, replaced", "laplacian", "successor",
	"successor features", "covering", "covering eigenoptions", "counts"}

// checkGoal checks that the study has reached its goal: the candidate is better than the controls over the held-out
// settings. By the states covered no variant is better in any setting, nor is the candidate without persistence worse.
func checkGoal(t *testing.T, published *study.Comparison) {
	t.Helper()
	worse := map[string]bool{}
	for _, v := range published.Overall[1].Variants {
		for _, a := range v.Against {
			worse[v.Name] = a.Verdict == stats.Less && *a.Adjusted < 0.001
		}
	}
	for _, control := range []string{"primitives", "zeta", "random directions", "complement", "as-published"} {
		if published.Overall[1].Part != "held out" || !worse[control] {
			t.Errorf("%s is not worse than the candidate over the settings held out", control)
		}
	}
	for _, in := range published.Settings {
		for _, v := range in.Variants {
			for _, a := range v.Against {
				if in.Measure == "covered" && (a.Verdict == stats.More || v.Name == "posterior" && a.Verdict == stats.Less) {
					t.Errorf("%s: %s has the verdict %q", in.Name, v.Name, a.Verdict)
				}
			}
		}
	}
}

// TestPublished: the first seed gives the published values here.
func TestPublished(t *testing.T) {
	t.Parallel()
	published, err := Published(t.Context(), study.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{"open field", "spiral"}
	if schematest.Long() {
		settings = append(settings, "ring, 300 steps", "ring of 10 bits", "four rooms", "comb, binary", "taxi")
	}
	plan := planOf(t, study.HeldOut.File)
	measured := measure(t, executePlan(t, plan, 1, settings, plan.Study.VariantNames()))
	compared := map[string]bool{}
	for _, in := range measured.Settings {
		compared[in.Name] = true
		for _, v := range in.Variants {
			want := valuesOf(published, in.Text(), v.Name)[:1]
			if diff := cmp.Diff(want, valuesOf(measured, in.Text(), v.Name)); diff != "" {
				t.Errorf("%s, %s (-published +here):\n%s", in.Text(), v.Name, diff)
			}
		}
	}
	if len(compared) != len(settings) {
		t.Fatalf("compared: %v", compared)
	}
}

// TestClaims compares what README and the help topic methods claim with a small version of the study, with other seeds:
// in which order the variants explore, and which options lead to new states.
func TestClaims(t *testing.T) {
	t.Parallel()
	seeds, grid := 6, "open field"
	if schematest.Long() {
		seeds, grid = 10, "nine rooms"
	}
	text := strings.NewReplacer(`"4040-4079"`, `"100-109"`, `"transitions"`, `"transitions,options"`).
		Replace(study.HeldOut.File)
	plan := planOf(t, text+`
[[variant]]
name  = "V, emptied"
basis = "rows-of-v"

[[variant]]
name    = "Vᵀ, kept"
dataset = "cumulative"
`)
	store := executePlan(t, plan, seeds, []string{"ring", grid}, []string{"posterior, zeta", "primitives", "zeta",
		"random directions", "as-written", "as-published", "every direction", "complement", "V, emptied", "Vᵀ, kept"})
	measured := measure(t, store)
	for _, c := range []struct {
		in, more, less string
		times          float64
	}{
		{"ring", "posterior, zeta", "zeta", 1.2}, {"ring", "posterior, zeta", "random directions", 2},
		{"ring", "posterior, zeta", "as-published", 1.8}, {"ring", "zeta", "primitives", 5},
		{"ring, distance", "complement", "as-published", 1.6}, {"ring, distance", "every direction", "as-published", 1.3},
		{"ring, distance", "as-published", "as-written", 2}, {"ring, distance", "V, emptied", "Vᵀ, kept", 1.5},
		{"ring, distance", "as-written", "primitives", 1},
		{grid, "posterior, zeta", "primitives", 1.02}, {grid, "complement", "primitives", 1.02},
		{grid, "primitives", "as-written", 1.2}, {grid, "primitives", "zeta", 1.02},
	} {
		more, less := valuesOf(measured, c.in, c.more), valuesOf(measured, c.in, c.less)
		if m, l := stats.Mean(more).Value, stats.Mean(less).Value; len(more) != seeds || m < c.times*l {
			t.Errorf("%s: %s has %.1f, %s %.1f; want %v times as much", c.in, c.more, m, c.less, l, c.times)
		}
	}
	large, middle, small := newStates(t, store, 8, 1e300), newStates(t, store, 1, 8), newStates(t, store, 0, 1)
	if large > 10 || middle < 2*large || small < 2*middle {
		t.Errorf("a call finds %.1f new states for σ > 8, %.1f for σ from 1 to 8, and %.1f for σ up to 1", large, middle,
			small)
	}
}

// newStates returns the mean number of states, new in their iteration, that a call of an option finds. It counts the
// options in the ring whose directions have σ above low, up to high.
func newStates(t *testing.T, store *tracker.Store, low, high float64) float64 {
	t.Helper()
	var found, calls int64
	err := store.View(t.Context(), func(tx *tracker.Tx) error {
		runs, err := report.Select(tx, []string{"setting=ring", "variant=every direction"})
		for _, r := range runs {
			if err != nil {
				break
			}
			var options []report.Option
			if options, err = report.LoadOptions(tx.View, r.Source); err != nil {
				break
			}
			for _, o := range options {
				if o.Sigma > low && o.Sigma <= high {
					found, calls = found+o.NewStates, calls+o.Calls
				}
			}
		}
		return err
	})
	if err != nil || calls == 0 {
		t.Fatal(calls, err)
	}
	return float64(found) / float64(calls)
}

// planOf returns the plan of a study's file.
func planOf(t *testing.T, text string) *sweep.Plan {
	t.Helper()
	c := cli.NewContext(&cli.App{}, nil, nil)
	c.Context = t.Context()
	plan, err := new(flags).planStudy(c, study.Published{Name: "study.toml", File: text})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// executePlan returns a store with a study and its runs of the first seeds in some settings, by some variants.
func executePlan(t *testing.T, plan *sweep.Plan, seeds int, settings, variants []string) *tracker.Store {
	t.Helper()
	ctx := t.Context()
	store := tracker.New(filepath.Join(t.TempDir(), "study.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for i := range plan.Len() {
		cell := plan.Study.Cells[i/plan.Seeds.Len()]
		if i%plan.Seeds.Len() < seeds && slices.Contains(settings, plan.Study.Settings[cell.Setting].Name) &&
			slices.Contains(variants, plan.Study.Variants[cell.Variant].Name) {
			numbers = append(numbers, i)
		}
	}
	result, err := sweep.Executor{Plan: plan, Store: store, Parallel: 2,
		Close: func(w *groupcommit.Writer) error { return w.Close(ctx) }}.Execute(ctx, numbers)
	if err == nil {
		_, err = plan.Annotate(ctx, store, sweep.NewProgress(plan, sweep.WholePlan))
	}
	if err != nil || result.Complete != len(numbers) {
		t.Fatalf("%d of %d runs: %v, %v", result.Complete, len(numbers), result.First, err)
	}
	return store
}

// measure compares the runs of the study in a store. Other processes can write between its settings,
// and between groups of its runs.
func measure(t *testing.T, store *tracker.Store) *study.Comparison {
	t.Helper()
	var transactions int
	reader := tracker.New(store.Path(), tracker.Options{OnUnlock: func(bool, time.Duration) { transactions++ }})
	measured, err := study.Compare(t.Context(), reader, []string{"study=held-out"})
	if err != nil {
		t.Fatal(err)
	}
	if transactions <= len(measured.Settings) {
		t.Errorf("%d settings were read in %d transactions", len(measured.Settings), transactions)
	}
	transactions = 0
	groups, err := group.SelectBy(t.Context(), reader, nil, []string{"setting", "variant"}, "study=held-out")
	if err != nil {
		t.Fatal(err)
	}
	if transactions <= len(groups) {
		t.Errorf("%d groups were read in %d transactions", len(groups), transactions)
	}
	return measured
}

// valuesOf returns the outcomes of a variant in a setting, by seed.
func valuesOf(c *study.Comparison, setting, variant string) (values []float64) {
	for _, in := range c.Settings {
		for _, v := range in.Variants {
			for _, o := range v.Outcomes {
				if in.Text() == setting && v.Name == variant {
					values = append(values, *o.Value)
				}
			}
		}
	}
	return values
}
