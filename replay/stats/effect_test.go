package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

// words returns an estimate as value [low, high].
func words(e *stats.Estimate) string {
	if e == nil {
		return "nil"
	}
	return text(&e.Value) + " [" + text(e.Low) + ", " + text(e.High) + "]"
}

// near reports whether an estimate is value [low, high] to the digits of a printed table; NaN stands
// for an end that is not there.
func near(e *stats.Estimate, value, low, high float64) bool {
	end := func(x *float64, want float64) bool {
		return x == nil && math.IsNaN(want) || x != nil && math.Abs(*x-want) < 1e-3
	}
	return e != nil && math.Abs(e.Value-value) < 1e-12 && end(e.Low, low) && end(e.High, high)
}

// TestCompare has intervals of the difference by hand, from the quantiles of Student's t in printed
// tables: 12.706, 4.303 and 2.776 with 1, 2 and 4 degrees of freedom.
func TestCompare(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		name                               string
		a, b                               []float64
		difference, low, high, improvement float64
	}{
		{"one each", []float64{1}, []float64{3}, 2, none, none, 1},
		{"one against two", []float64{1}, []float64{3, 1}, 1, none, none, 0.75},
		{"no spread", []float64{5, 5, 5}, []float64{7, 7}, 2, 2, 2, 1},
		{"all equal", []float64{5, 5, 5}, []float64{5, 5}, 0, 0, 0, 0.5},
		{"one freedom", []float64{0, 0}, []float64{0, 1}, 0.5, 0.5 - 12.7062/2, 0.5 + 12.7062/2, 0.75},
		{"the other way round", []float64{0, 1}, []float64{0, 0}, -0.5, -0.5 - 12.7062/2, -0.5 + 12.7062/2, 0.25},
		{"two freedoms", []float64{9, 8}, []float64{1, 2}, -7, -7 - 4.30265/math.Sqrt2, -7 + 4.30265/math.Sqrt2, 0},
		// sd 1 each: se √(2/3)
		{"four freedoms", []float64{1, 2, 3}, []float64{2, 3, 4}, 1, 1 - 2.77645*0.816497, 1 + 2.77645*0.816497, 7.0 / 9},
	} {
		e := stats.Compare(c.a, c.b, stats.Level)
		if !near(e.Difference, c.difference, c.low, c.high) || e.Improvement.Value != c.improvement {
			t.Errorf("%s: %s and %s", c.name, words(e.Difference), words(e.Improvement))
		}
	}
	if e := stats.Compare(nil, []float64{1}, stats.Level); e.Difference != nil || e.Improvement != nil || e.PValue != nil {
		t.Errorf("nothing: %+v", e)
	}
	e := stats.Compare([]float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, stats.Level)
	if e.Difference != nil || words(e.Improvement) != "1 [nil, nil]" {
		t.Errorf("overflow: %s and %s", words(e.Difference), words(e.Improvement))
	}
}

// TestComparePairs: pairing takes out what the pairs share.
func TestComparePairs(t *testing.T) {
	pairs := []stats.Pair{{A: 0, B: 1}, {A: 10, B: 11}, {A: 20, B: 21}, {A: 30, B: 31}}
	e := stats.ComparePairs(pairs, stats.Level)
	if got := words(e.Difference); got != "1 [1, 1]" {
		t.Errorf("a constant difference: %s", got)
	}
	if e.Improvement.Value != 10.0/16 || e.PValue != nil {
		t.Errorf("improvement %g: b is larger in 10 of 16 couples", e.Improvement.Value)
	}
	loose := stats.Compare([]float64{0, 10, 20, 30}, []float64{1, 11, 21, 31}, stats.Level).Difference
	if loose.Value != 1 || *loose.Low > -10 || *loose.High < 10 {
		t.Errorf("unpaired: %s", words(loose))
	}
	// Differences 1, 2 and 3: mean 2, se 1/√3; p of t = 2√3 with 2 degrees of freedom is
	// 1 − t/√(t² + 2).
	e = stats.ComparePairs([]stats.Pair{{A: 1, B: 2}, {A: 5, B: 7}, {A: 9, B: 12}}, stats.Level)
	if !near(e.Difference, 2, 2-4.30265/math.Sqrt(3), 2+4.30265/math.Sqrt(3)) ||
		math.Abs(*e.PValue-(1-math.Sqrt(12.0/14))) > 1e-12 {
		t.Errorf("three pairs: %s, p %v", words(e.Difference), *e.PValue)
	}
	if e := stats.ComparePairs(nil, stats.Level); e.Difference != nil || e.Improvement != nil {
		t.Errorf("no pair: %+v", e)
	}
	if got := words(stats.ComparePairs([]stats.Pair{{A: 3, B: 1}}, stats.Level).Difference); got != "-2 [nil, nil]" {
		t.Errorf("one pair: %s", got)
	}
}

// TestMean has the interval of three values by hand, cut to a range or not.
func TestMean(t *testing.T) {
	half := 4.30265 / math.Sqrt(3)
	e := stats.Mean([]float64{3, 1, 2})
	if !near(e, 2, 2-half, 2+half) || !near(e.Within(0, 4), 2, 0, 4) || !near(e.Within(-1, 9), 2, 2-half, 2+half) {
		t.Errorf("%s, cut %s", words(e), words(e.Within(0, 4)))
	}
	if stats.Mean(nil) != nil || stats.Mean(nil).Within(0, 1) != nil {
		t.Error("nothing has a mean")
	}
	if one := stats.Mean([]float64{7}); words(one.Within(0, 1)) != "7 [nil, nil]" {
		t.Errorf("one value: %s", words(one))
	}
}

func TestBonferroni(t *testing.T) {
	if level := stats.Bonferroni(0.95, 2); math.Abs(level-0.975) > 1e-15 || stats.Bonferroni(0.95, 0) != 0.95 {
		t.Errorf("level %v", level)
	}
}

// TestImprovementByEnumeration counts pairs.
func TestImprovementByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(1).Draw(t, "a"), sample(1).Draw(t, "b")
		want := 0.0
		for _, x := range a {
			for _, y := range b {
				switch {
				case y > x:
					want++
				case y == x:
					want += 0.5
				}
			}
		}
		want /= float64(len(a) * len(b))
		if got := stats.Compare(a, b, stats.Level).Improvement.Value; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}
