package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestNewcombe holds both ends of a score interval to the equation that they solve.
func TestNewcombe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(2).Draw(t, "a"), sample(2).Draw(t, "b")
		e := stats.Compare(a, b, stats.Level).Improvement
		n, m := float64(len(a)), float64(len(b))
		for _, p := range []float64{*e.Low, *e.High} {
			if p == e.Value && (p == 0 || p == 1) {
				continue
			}
			more := (n+m)/2 - 1
			v := p * (1 - p) * (1 + more*(1-p)/(2-p) + more*p/(1+p)) / (n * m)
			if z := math.Abs(e.Value-p) / math.Sqrt(v); math.Abs(z-1.959963984540054) > 1e-6 {
				t.Fatalf("%s: the end %v is %v standard deviations away", words(e), p, z)
			}
		}
		if *e.Low < 0 || *e.High > 1 || *e.Low > e.Value || *e.High < e.Value || *e.Low == *e.High {
			t.Fatalf("out of order: %s", words(e))
		}
	})
}

func TestBonferroni(t *testing.T) {
	if level := stats.Bonferroni(0.95, 2); math.Abs(level-0.975) > 1e-15 || stats.Bonferroni(0.95, 0) != 0.95 {
		t.Errorf("level %v", level)
	}
}

// TestImprovementByEnumeration counts couples.
func TestImprovementByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(1).Draw(t, "a"), sample(1).Draw(t, "b")
		won := 0.0
		for _, x := range a {
			for _, y := range b {
				switch {
				case y > x:
					won++
				case y == x:
					won += 0.5
				}
			}
		}
		want := won / float64(len(a)*len(b))
		if got := stats.Compare(a, b, stats.Level).Improvement.Value; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(1).Draw(t, "a"), sample(1).Draw(t, "b")
		e := stats.Compare(a, b, stats.Level)
		again := stats.Compare(rapid.Permutation(a).Draw(t, "order of a"), rapid.Permutation(b).Draw(t, "order of b"),
			stats.Level)
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("the order makes a difference:\n%s", diff)
		}
		checkMirror(t, e, stats.Compare(b, a, stats.Level))
		checkShift(t, e, func(c float64) stats.Effect {
			moved := slices.Clone(b)
			for i := range moved {
				moved[i] += c
			}
			return stats.Compare(a, moved, stats.Level)
		})
	})
}

func TestComparePairsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := sample(1).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Map(rapid.IntRange(-9, 9), func(n int) float64 {
			return float64(n)
		}), len(a), len(a)).Draw(t, "b")
		var pairs, swapped []stats.Pair
		for i := range a {
			pairs, swapped = append(pairs, stats.Pair{A: a[i], B: b[i]}), append(swapped, stats.Pair{A: b[i], B: a[i]})
		}
		e := stats.ComparePairs(pairs, stats.Level)
		if diff := cmp.Diff(e, stats.ComparePairs(rapid.Permutation(pairs).Draw(t, "order"), stats.Level)); diff != "" {
			t.Fatalf("the order makes a difference:\n%s", diff)
		}
		checkMirror(t, e, stats.ComparePairs(swapped, stats.Level))
		checkShift(t, e, func(c float64) stats.Effect {
			moved := slices.Clone(pairs)
			for i := range moved {
				moved[i].B += c
			}
			return stats.ComparePairs(moved, stats.Level)
		})
	})
}

func checkMirror(t *rapid.T, e, other stats.Effect) {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) }
	if !near(other.Difference.Value, -e.Difference.Value) || !near(other.Improvement.Value, 1-e.Improvement.Value) {
		t.Fatalf("swapped: %s and %s of %s and %s", words(other.Difference), words(other.Improvement),
			words(e.Difference), words(e.Improvement))
	}
	if e.Difference.Low == nil {
		return
	}
	if !near(*other.Difference.Low, -*e.Difference.High) || !near(*other.Improvement.High, 1-*e.Improvement.Low) {
		t.Fatalf("swapped, the intervals are %s and %s of %s and %s", words(other.Difference), words(other.Improvement),
			words(e.Difference), words(e.Improvement))
	}
}

// checkShift moves b up so far that every value of it is over every value of a.
func checkShift(t *rapid.T, e stats.Effect, shifted func(c float64) stats.Effect) {
	c := float64(rapid.IntRange(30, 90).Draw(t, "shift"))
	moved := shifted(c)
	if math.Abs(moved.Difference.Value-e.Difference.Value-c) > 1e-9 {
		t.Fatalf("moved by %g, the difference went from %g to %g", c, e.Difference.Value, moved.Difference.Value)
	}
	if moved.Improvement.Value != 1 {
		t.Fatalf("b is over a, but improvement is %g", moved.Improvement.Value)
	}
}
