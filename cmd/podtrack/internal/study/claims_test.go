package study

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

func TestMain(m *testing.M) { schematest.Main(m) }

// TestClaims holds what README and the help topic methods claim to a small version of the study, of other
// seeds: in which order the variants explore, and where options of small and of large σ lead.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := Exploration()
	seeds := 6
	s.Variants = slices.DeleteFunc(s.Variants, func(v Variant) bool {
		return !slices.Contains([]string{"primitives", "as-written", "as-published", s.Everything, s.Candidate}, v.Name)
	})
	s.Variants = append(s.Variants, Variant{Name: "V, emptied", Fields: map[string]string{"basis": "rows-of-v"}},
		Variant{Name: "Vᵀ, kept", Fields: map[string]string{"dataset": "cumulative"}})
	names := []string{"ring", "open field"}
	if schematest.Long() {
		seeds, names = 10, append(names, "nine rooms")
	}
	s.Seeds = runset.SeedSet(100, 101, 102, 103, 104, 105, 106, 107, 108, 109)
	settings, err := s.Choose(names)
	if err != nil {
		t.Fatal(err)
	}
	store := runStudy(t, s, settings, seeds)
	r, err := s.Measure(context.Background(), store, settings, seeds)
	if err != nil {
		t.Fatal(err)
	}
	for i, setting := range settings {
		for j, v := range s.Variants {
			checkMeans(t, store, r.Settings[i].Variants[j], setting, v, s.Seeds, seeds)
		}
	}
	ring, rooms := r.setting("ring"), r.setting(names[len(names)-1])
	for _, c := range []struct {
		in         *SettingResult
		more, less string
		times      float64
	}{
		{ring, s.Candidate, "as-published", 1.6}, {ring, s.Everything, "as-published", 1.3},
		{ring, "as-published", "as-written", 2}, {ring, "V, emptied", "Vᵀ, kept", 1.5}, {ring, "as-written", "primitives", 1},
		{rooms, s.Candidate, "primitives", 1.02}, {rooms, "primitives", "as-written", 1.2},
	} {
		more, less := mean(c.in.values(c.more)), mean(c.in.values(c.less))
		if more < c.times*less {
			t.Errorf("%s: %s has %.1f, %s %.1f; want %v times as much", c.in.Name, c.more, more, c.less, less, c.times)
		}
	}
	for _, l := range r.Lost {
		if l.Setting != "ring" || l.Variant != s.Everything || l.Sigma == "" {
			continue
		}
		small := l.Sigma == "0 < σ ≤ 1" || l.Sigma == "σ = 0"
		if large := l.Sigma == "σ > 8"; small && *l.Beyond < 0.95 || large && *l.Beyond > 0.1 {
			t.Errorf("%s: %.3f of the calls end beyond what was visited", l.Sigma, *l.Beyond)
		}
	}
	if r.Goal != nil {
		t.Error("the goal was judged without all of its settings")
	}
}

// checkMeans compares what is said of a variant with means over the records of its runs.
func checkMeans(
	t *testing.T, store *tracker.Store, got VariantResult, setting Setting, v Variant, of runset.Seeds, seeds int,
) {
	t.Helper()
	n := len(got.States)
	want := VariantResult{States: make([]float64, n), Coverage: make([]float64, n), Distances: make([]float64, n)}
	var reached []float64
	for i := range seeds {
		spec, err := setting.spec(v)
		if err != nil {
			t.Fatal(err)
		}
		spec.Seed = of.At(i)
		id, err := schema.RunID(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = store.View(t.Context(), func(tx *tracker.Tx) error {
			run, err := tx.ReadRun(id)
			if err != nil {
				return err
			}
			x, err := explore.ReadVisits(tx.View, run)
			if err != nil {
				return err
			}
			sum := 0.0
			for k, it := range x.Iterations {
				m, err := report.LoadMeasures(tx, id, k)
				if err != nil {
					return err
				}
				want.States[k] += float64(m.StatesVisited) / float64(seeds)
				want.Coverage[k] += float64(*it.Covered) / float64(seeds)
				want.Distances[k] += float64(*m.Distance) / float64(seeds)
				if k > 0 {
					sum += float64(*m.Distance)
				}
			}
			if setting.Outcome == Covered {
				want.Values = append(want.Values, float64(*x.Iterations[len(x.Iterations)-1].Covered))
			} else {
				want.Values = append(want.Values, sum/float64(len(x.Iterations)-1))
			}
			if x.StepsToHalf != nil {
				reached = append(reached, float64(*x.StepsToHalf))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	near := func(name string, got, want []float64) {
		same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
		if len(got) == 0 || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s, %s: %s %v, want %v", setting.Name, v.Name, name, got, want)
		}
	}
	near("values", got.Values, want.Values)
	near("mean", []float64{got.Mean.Value}, []float64{mean(want.Values)})
	near("covered", []float64{got.Covered.Value}, want.Coverage[len(want.Coverage)-1:])
	near("distances", got.Distances, want.Distances)
	near("states", got.States, want.States)
	near("coverage", got.Coverage, want.Coverage)
	if *got.Half != len(reached) || (got.HalfMedian != nil) != (2*len(reached) > seeds) {
		t.Errorf("%s, %s: %d reached half, want %d; median %v", setting.Name, v.Name, *got.Half, len(reached), got.HalfMedian)
	}
	if got.HalfMedian != nil {
		for len(reached) < seeds {
			reached = append(reached, math.Inf(1))
		}
		slices.Sort(reached)
		near("median", []float64{*got.HalfMedian}, []float64{(reached[(seeds-1)/2] + reached[seeds/2]) / 2})
	}
}

func mean(values []float64) (m float64) {
	for _, x := range values {
		m += x / float64(len(values))
	}
	return m
}

// runStudy returns a store with the runs of the first seeds of a study in these settings.
func runStudy(t *testing.T, s Study, settings []Setting, seeds int) *tracker.Store {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "study.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	w := groupcommit.Start(ctx, store)
	engine := replay.NewEngine(store, w, replay.Options{})
	for _, setting := range settings {
		jobs, err := s.Jobs(setting, seeds)
		if err != nil {
			t.Fatal(err)
		}
		engine.RunAll(ctx, slices.Values(jobs), 2, func(_ replay.Job, o replay.Outcome) {
			if o.Err != nil {
				t.Error(o.Err)
			}
		})
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}
