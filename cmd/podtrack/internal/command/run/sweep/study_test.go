package sweep

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

func TestMain(m *testing.M) { schematest.Main(m) }

// exploration returns the text of the study of exploration.
func exploration(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../examples/exploration.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRegistered: the study has the runs that it had when it was registered: the SHA-256 of their IDs, by settings,
// variants and seeds.
func TestRegistered(t *testing.T) {
	plan, ids := planOf(t, exploration(t)), sha256.New()
	for i := range plan.Len() {
		id, err := schema.RunID(plan.At(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		ids.Write(id[:])
	}
	if sum := fmt.Sprintf("%x", ids.Sum(nil)); !plan.Study.Registered || plan.Iterations != pod.PaperIterations ||
		sum != "219b2ed07add8997bfab0471ec2d6b078aed7dfc29a60f225175846235402c50" {
		t.Errorf("other runs than those that were made: %s", sum)
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
		Replace(exploration(t))
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
	args, err := parseGridFile([]byte(text), "study.toml")
	if err != nil {
		t.Fatal(err)
	}
	s := sweepRun{Context: c, flags: &flags{}}
	if err := s.makePlan(args); err != nil {
		t.Fatal(err)
	}
	return s.plan
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
func measure(t *testing.T, store *tracker.Store) *group.StudyComparison {
	t.Helper()
	var transactions int
	reader := tracker.New(store.Path(), tracker.Options{OnUnlock: func(bool, time.Duration) { transactions++ }})
	measured, err := group.CompareStudy(t.Context(), reader, []string{"study=held-out"})
	if err != nil {
		t.Fatal(err)
	}
	if transactions <= len(measured.Settings) {
		t.Errorf("%d settings were read in %d transactions", len(measured.Settings), transactions)
	}
	transactions = 0
	groups, err := group.Choice{Filters: []string{"study=held-out"}, Split: true, By: []string{"setting", "variant"}}.Read(
		t.Context(), reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if transactions <= len(groups) {
		t.Errorf("%d groups were read in %d transactions", len(groups), transactions)
	}
	return measured
}

// valuesOf returns the outcomes of a variant in a setting, by seed.
func valuesOf(c *group.StudyComparison, setting, variant string) (values []float64) {
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
