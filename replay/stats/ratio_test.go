package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

// TestRatio: the ends of the interval are the θ at which b and θa differ with just the p-value of the level. Numbers
// are thousandths: those near the smallest that there are lose their digits when they are squared.
func TestRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := make([]stats.Pair, rapid.IntRange(3, 12).Draw(t, "pairs"))
		draw := func(low, high int, name string) float64 {
			return float64(rapid.IntRange(1000*low, 1000*high).Draw(t, name)) / 1000
		}
		for i := range pairs {
			pairs[i] = stats.Pair{A: draw(5, 9, "a"), B: draw(-9, 9, "b")}
		}
		r := stats.Ratio(pairs, stats.Level)
		if r == nil {
			t.Fatal("no ratio")
		}
		if r.Low == nil {
			return
		}
		for _, theta := range []float64{*r.Low, *r.High} {
			scaled := make([]stats.Pair, len(pairs))
			for i, p := range pairs {
				scaled[i] = stats.Pair{A: theta * p.A, B: p.B}
			}
			p := stats.ComparePairs(scaled, stats.Level).PValue
			if p != nil && math.Abs(*p-(1-stats.Level)) > 1e-6 {
				t.Errorf("at %v p is %v", theta, *p)
			}
		}
		if *r.Low > r.Value || *r.High < r.Value {
			t.Errorf("%v is outside of %v … %v", r.Value, *r.Low, *r.High)
		}
	})
}

// TestRatioKnown: equal pairs have the ratio 1 exactly, and a mean of 0 has none.
func TestRatioKnown(t *testing.T) {
	twice := []stats.Pair{{A: 1, B: 2}, {A: 2, B: 4}, {A: 4, B: 8}}
	if r := stats.Ratio(twice, stats.Level); r.Value != 2 || r.Low != nil && (*r.Low > 2 || *r.High < 2) {
		t.Errorf("%+v", r)
	}
	if r := stats.Ratio([]stats.Pair{{A: 1, B: 2}, {A: -1, B: 2}}, stats.Level); r != nil {
		t.Errorf("%+v", r)
	}
	if r := stats.Ratio(nil, stats.Level); r != nil {
		t.Errorf("%+v", r)
	}
	wide := []stats.Pair{{A: 1, B: 2}, {A: -0.9, B: 2}, {A: 0.1, B: 1}}
	if r := stats.Ratio(wide, stats.Level); r == nil || r.Low != nil {
		t.Errorf("a mean that is not told from 0: %+v", r)
	}
}
