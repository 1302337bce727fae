package study

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/internal/testenv"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestClaims holds what README and the help topic methods claim to a small version of the study, of other
// seeds: in which order the variants explore, and where options of small and of large σ lead.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := Exploration()
	s.FirstSeed, s.Seeds = 100, 6
	s.Variants = slices.DeleteFunc(s.Variants, func(v Variant) bool {
		return !slices.Contains([]string{"primitives", "as-written", "as-published", s.Everything, s.Candidate}, v.Name)
	})
	s.Variants = append(s.Variants, Variant{Name: "V, emptied", Fields: map[string]string{"basis": "rows-of-v"}},
		Variant{Name: "Vᵀ, kept", Fields: map[string]string{"dataset": "cumulative"}})
	names := []string{"ring", "open field"}
	if testenv.Long() {
		s.Seeds, names = 10, append(names, "nine rooms")
	}
	settings, err := s.Choose(names)
	if err != nil {
		t.Fatal(err)
	}
	store := runStudy(t, s, settings)
	r, err := s.Measure(context.Background(), store, settings, s.Seeds)
	if err != nil {
		t.Fatal(err)
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

func mean(values []float64) (m float64) {
	for _, x := range values {
		m += x / float64(len(values))
	}
	return m
}

// runStudy returns a store with the runs of a study in these settings.
func runStudy(t *testing.T, s Study, settings []Setting) *tracker.Store {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "study.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	w := store.StartWriter(ctx)
	engine := replay.NewEngine(store, w, replay.Options{})
	for _, setting := range settings {
		jobs, err := s.Jobs(setting, s.Seeds)
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
