package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// TestForecasts: forecasts count what the progress of a plan counts, from the store's runs alone.
func TestForecasts(t *testing.T) {
	s := newSite(t)
	perform(t, s.plan, s.store, 1, 3, 4)
	behind := *s.plan
	behind.Iterations = 1
	perform(t, &behind, s.store, 0, 6)
	other := runset.Plan{Specs: s.plan.Specs, Seeds: runset.SeedSet(99), Iterations: 3} // not in the plan
	perform(t, &Plan{Plan: other}, s.store, 0)

	l := NewProgress(s.plan, WholePlan)
	s.lookStore(l)
	forecasts, err := LoadForecasts(t.Context(), s.store, s.plan)
	ok(t, err)
	var all Count
	for i, want := range l.CountBySpec() {
		if got := forecasts[i].Done; got != want {
			t.Errorf("spec %d: %+v, want %+v", i, got, want)
		}
		all = all.Add(forecasts[i].Done)
		if e := forecasts[i].Estimate; e.Runs == 0 || e.Bytes == 0 {
			t.Errorf("spec %d: nothing is estimated", i)
		}
	}
	if all != l.Count() {
		t.Errorf("%+v in all, want %+v", all, l.Count())
	}
}

// largestPlan returns one of as many runs as a plan can have.
func largestPlan(t testing.TB) *Plan {
	t.Helper()
	p := &Plan{Plan: runset.Plan{Iterations: 6, Seeds: firstSeeds(t, runset.MaxSeeds)}}
	for i := range runset.MaxPlanRuns / runset.MaxSeeds {
		spec := pod.PaperSpec()
		spec.Kappa = 1 + float64(i)
		p.Specs = append(p.Specs, spec)
	}
	return p
}

// firstSeeds returns the first n seeds.
func firstSeeds(t testing.TB, n int) runset.Seeds {
	t.Helper()
	seeds, err := runset.ParseSeeds(fmt.Sprintf("0-%d", n-1))
	ok(t, err)
	return seeds
}

// TestForecastOfTheLargestPlan: the time of a forecast depends on the runs of the store, not on those of the plan.
func TestForecastOfTheLargestPlan(t *testing.T) {
	p := largestPlan(t)
	ok(t, p.Check(t.Context()))
	forecasts, err := LoadForecasts(t.Context(), tracker.New(filepath.Join(t.TempDir(), "none.db"), tracker.Options{}),
		p)
	ok(t, err)
	const n = runset.MaxSeeds
	if f := forecasts[len(forecasts)-1]; f.Done != (Count{Runs: n, Missing: n, Wanted: 6 * n}) {
		t.Errorf("%+v", f.Done)
	}
}

// TestCheckIsCancelled: names of many runs are looked at until the context ends.
func TestCheckIsCancelled(t *testing.T) {
	p := largestPlan(t)
	p.Name = "k{kappa}-s{seed}-x"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
