package sweep

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

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

// explorationRuns is the SHA-256 of the IDs of all runs of the study, as it was registered.
const explorationRuns = "e81de145de99e309aa170dc06bdbd6b3e319ea8c3009b196ef0167c86b1c1d71"

// TestRegistered: the study has fresh seeds and at least 60 of them, as it was registered, and the same runs.
func TestRegistered(t *testing.T) {
	published, err := Published(t.Context(), study.Superseded)
	if err != nil {
		t.Fatal(err)
	}
	if s := published.Seeds; s.At(0) < 1000 || s.Len() < 60 || published.Iterations != pod.PaperIterations ||
		!published.Registered || published.Comparisons != 150 {
		t.Errorf("seeds %s, %d iterations, %d comparisons", s, published.Iterations, published.Comparisons)
	}
	ids := sha256.New()
	for _, in := range published.Settings {
		for _, v := range in.Variants {
			for _, o := range v.Outcomes {
				ids.Write(o.Run[:])
			}
		}
	}
	if sum := fmt.Sprintf("%x", ids.Sum(nil)); sum != explorationRuns {
		t.Errorf("other runs than those that were made: %s", sum)
	}
}

// TestPublishedClaims compares what README and the help topic methods claim with what was published.
func TestPublishedClaims(t *testing.T) {
	published, err := Published(t.Context(), study.Superseded)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]stats.Verdict{}
	for _, in := range published.Settings {
		for _, v := range in.Variants {
			for _, a := range v.Against {
				verdicts[in.Name+": "+v.Name+", "+a.Baseline] = a.Verdict
			}
		}
	}
	claims := map[string]stats.Verdict{"open field: counts, primitives": stats.More,
		"four rooms: counts, primitives": stats.Unsettled, "ring: counts, primitives": stats.Less}
	for _, setting := range []string{"four rooms", "nine rooms", "open field", "taxi"} {
		for variant, want := range map[string]stats.Verdict{"complement": stats.More, "random directions": stats.More,
			"every direction": stats.More, "laplacian": stats.Less, "successor": stats.Less, "covering": stats.Less} {
			claims[setting+": "+variant+", primitives"] = want
		}
	}
	for _, in := range published.Settings {
		claims[in.Name+": published, replaced, as-published"] = stats.Unsettled
	}
	for comparison, want := range claims {
		if got := verdicts[comparison]; got != want {
			t.Errorf("%s: %q, want %s", comparison, got, want)
		}
	}
	for setting, times := range map[string]string{"ring": "2.3", "ring, hidden": "2.1"} {
		complement, pod := valuesOf(published, setting, "complement"), valuesOf(published, setting, "as-published")
		if got := fmt.Sprintf("%.1f", stats.Mean(complement).Value/stats.Mean(pod).Value); got != times {
			t.Errorf("%s: %s times as far, want %s", setting, got, times)
		}
	}
}

// TestPublished: the first seed gives the published values here.
func TestPublished(t *testing.T) {
	t.Parallel()
	published, err := Published(t.Context(), study.Superseded)
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{"ring", "open field"}
	if schematest.Long() {
		settings = append(settings, "ring, hidden", "four rooms", "nine rooms", "taxi")
	}
	plan := planOf(t, study.Superseded.File)
	measured := measure(t, executePlan(t, plan, 1, settings, plan.Study.VariantNames()))
	if len(measured.Settings) != len(settings) {
		t.Fatalf("%d settings", len(measured.Settings))
	}
	for _, in := range measured.Settings {
		for _, v := range in.Variants {
			want := valuesOf(published, in.Name, v.Name)[:1]
			if diff := cmp.Diff(want, valuesOf(measured, in.Name, v.Name)); diff != "" {
				t.Errorf("%s, %s (-published +here):\n%s", in.Name, v.Name, diff)
			}
		}
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
	text := strings.NewReplacer(`"2000-2059"`, `"100-109"`, `"transitions"`, `"transitions,options"`).
		Replace(study.Superseded.File)
	plan := planOf(t, text+`
[[variant]]
name  = "V, emptied"
basis = "rows-of-v"

[[variant]]
name    = "Vᵀ, kept"
dataset = "cumulative"
`)
	store := executePlan(t, plan, seeds, []string{"ring", grid}, []string{"primitives", "as-written", "as-published",
		"every direction", "complement", "V, emptied", "Vᵀ, kept"})
	measured := measure(t, store)
	for _, c := range []struct {
		in, more, less string
		times          float64
	}{
		{"ring", "complement", "as-published", 1.6}, {"ring", "every direction", "as-published", 1.3},
		{"ring", "as-published", "as-written", 2}, {"ring", "V, emptied", "Vᵀ, kept", 1.5},
		{"ring", "as-written", "primitives", 1},
		{grid, "complement", "primitives", 1.02}, {grid, "primitives", "as-written", 1.2},
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
		_, err = plan.Annotate(ctx, store, sweep.NewProgress(plan, sweep.WholePlan), sweep.Folder{})
	}
	if err != nil || result.Complete != len(numbers) {
		t.Fatalf("%d of %d runs: %v, %v", result.Complete, len(numbers), result.First, err)
	}
	return store
}

// measure compares the runs of the study in a store.
func measure(t *testing.T, store *tracker.Store) (measured *study.Comparison) {
	t.Helper()
	err := store.View(t.Context(), func(tx *tracker.Tx) (err error) {
		measured, err = study.Compare(t.Context(), tx, []string{"study=exploration"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return measured
}

// valuesOf returns the outcomes of a variant in a setting, by seed.
func valuesOf(c *study.Comparison, setting, variant string) (values []float64) {
	for _, in := range c.Settings {
		for _, v := range in.Variants {
			for _, o := range v.Outcomes {
				if in.Name == setting && v.Name == variant {
					values = append(values, *o.Value)
				}
			}
		}
	}
	return values
}
