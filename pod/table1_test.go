package pod_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// simulate runs iterations of a spec in memory, as the engine does with records
// between the stages.
func simulate(t testing.TB, spec schema.Spec, iterations int,
	visit func(k int, f schema.Factors, m schema.Measures, options []*schema.Option)) {
	t.Helper()
	ctx := context.Background()
	env := podtest.Simulated(t, spec.Env)
	var options []*schema.Option
	var data linalg.Dataset
	state := env.Start()
	learner := learn.NewModelLearner(env, spec)
	for k := range iterations {
		c := collect.Collector{Env: env, Options: collect.OptionSet{Options: options},
			Stream: rng.NewStream(spec.Seed, k, collect.WalkStream), State: state, Executing: schema.Primitive}
		chunk := schema.Transitions{Start: uint64(state), Arity: len(env.Actions())}
		_ = c.Collect(context.Background(), &chunk, int(spec.Steps))
		stats := collect.NewTransitionStats(env, collect.OptionSet{Options: options}, state)
		if err := stats.Add(&chunk); err != nil {
			t.Fatal(err)
		}
		state = c.State
		if k == 0 || spec.Dataset == schema.PerIteration {
			data = stats.Dataset()
		} else {
			data = data.Merge(stats.Dataset())
		}
		f, err := linalg.Factor(ctx, linalg.Reduced, data)
		if err != nil {
			t.Fatal(err)
		}
		purposes := selection.NewDirections(spec, 0, f).WithVectors(selection.SignedAbove(spec, f))
		var learned []*schema.Option
		for _, p := range purposes {
			o, _, err := learner.Learn(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			learned = append(learned, o)
		}
		visit(k, f, stats.Measures(len(purposes)/2, len(learned)), learned)
		options = append(options, learned...)
	}
}

// setting returns the paper's spec with one of the readings and observabilities.
func setting(t testing.TB, reading string, hide int64, seed uint64) schema.Spec {
	t.Helper()
	s := pod.PaperSpec()
	s.Seed = seed
	s.Env.Params["hide"] = hide
	if err := s.SetReading(reading); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTable1 compares the means of 100 runs with those of an independent numpy
// program, 300 seeds, iterations 1…5 (purposes: 0…4): within 15 %, purposes
// within 0.5. Fewer seeds are further from them.
func TestTable1(t *testing.T) {
	runs, share, number := schematest.Size(40, 100), schematest.Size(0.25, 0.15), schematest.Size(0.8, 0.5)
	tests := []struct {
		reading                    string
		hide                       int64
		purposes, length, distance [5]float64
	}{
		{"as-published", 0, [5]float64{6.1, 7.9, 8.6, 9.1, 9.3}, [5]float64{13.8, 19.8, 22.9, 24.6, 26.4},
			[5]float64{188, 246, 258, 277, 306}},
		{"as-written", 0, [5]float64{6.1, 6.2, 6.2, 6.2, 6.3}, [5]float64{16.0, 16.6, 17.0, 17.0, 17.2},
			[5]float64{67, 66, 66, 69, 72}},
		{"as-published", 3, [5]float64{3.6, 5.3, 5.9, 6.2, 6.5}, [5]float64{21.2, 30.6, 34.0, 36.7, 38.3},
			[5]float64{212, 278, 291, 304, 311}},
		{"as-written", 3, [5]float64{3.6, 3.7, 3.7, 3.8, 3.8}, [5]float64{28.1, 27.5, 28.1, 28.1, 28.3},
			[5]float64{83, 84, 88, 88, 89}},
	}
	for _, tt := range tests {
		t.Run(tt.reading+map[int64]string{0: "/full", 3: "/partial"}[tt.hide], func(t *testing.T) {
			t.Parallel()
			var purposes, length, distance [6]float64
			var mu sync.Mutex
			for seed := range runs {
				simulate(t, setting(t, tt.reading, tt.hide, uint64(seed)), 6,
					func(k int, _ schema.Factors, m schema.Measures, _ []*schema.Option) {
						mu.Lock()
						defer mu.Unlock()
						purposes[k] += float64(m.Purposes) / float64(runs)
						distance[k] += float64(*m.Distance) / float64(runs)
						if m.OptionLength != nil {
							length[k] += *m.OptionLength / float64(runs)
						}
					})
			}
			for c := range 5 {
				if got, want := purposes[c], tt.purposes[c]; math.Abs(got-want) > number {
					t.Errorf("column %d: %.2f purposes, want %.2f ± %v", c+1, got, want, number)
				}
				if got, want := length[c+1], tt.length[c]; math.Abs(got-want) > share*want {
					t.Errorf("column %d: option length %.2f, want %.2f ± %.0f %%", c+1, got, want, 100*share)
				}
				if got, want := distance[c+1], tt.distance[c]; math.Abs(got-want) > share*want {
					t.Errorf("column %d: distance %.1f, want %.1f ± %.0f %%", c+1, got, want, 100*share)
				}
			}
			t.Logf("purposes %.2f", purposes)
			t.Logf("length %.2f", length)
			t.Logf("distance %.1f", distance)
		})
	}
}
