package stats_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

// words is an estimate as value [low, high].
func words(e *stats.Estimate) string {
	if e == nil {
		return "nil"
	}
	return text(&e.Value) + " [" + text(e.Low) + ", " + text(e.High) + "]"
}

// TestCompare has samples of which all resamples can be listed: the mean of two
// draws from {0, 1} is 0, ½ or 1 with ¼, ½ and ¼, so 95 % reach from 0 to 1.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name                    string
		a, b                    []float64
		difference, improvement string
	}{
		{"nothing", nil, []float64{1}, "nil", "nil"},
		{"one each", []float64{1}, []float64{3}, "2 [nil, nil]", "1 [nil, nil]"},
		{"one against two", []float64{1}, []float64{3, 1}, "1 [nil, nil]", "0.75 [nil, nil]"},
		{"no spread", []float64{5, 5, 5}, []float64{7, 7}, "2 [2, 2]", "1 [1, 1]"},
		{"all equal", []float64{5, 5, 5}, []float64{5, 5}, "0 [0, 0]", "0.5 [0.5, 0.5]"},
		{"two draws", []float64{0, 0}, []float64{0, 1}, "0.5 [0, 1]", "0.75 [0.5, 1]"},
		{"the other way round", []float64{0, 1}, []float64{0, 0}, "-0.5 [-1, 0]", "0.25 [0, 0.5]"},
		{"wholly over", []float64{9, 8}, []float64{1, 2}, "-7 [-8, -6]", "0 [0, 0]"},
		{"overflow", []float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, "nil", "1 [nil, nil]"},
	} {
		e := stats.Compare(c.a, c.b)
		if d, p := words(e.Difference), words(e.Improvement); d != c.difference || p != c.improvement {
			t.Errorf("%s: %s and %s, want %s and %s", c.name, d, p, c.difference, c.improvement)
		}
	}
}

// TestComparePairs: pairing takes out what the pairs share.
func TestComparePairs(t *testing.T) {
	pairs := []stats.Pair{{A: 0, B: 1}, {A: 10, B: 11}, {A: 20, B: 21}, {A: 30, B: 31}}
	e := stats.ComparePairs(pairs)
	if got := words(e.Difference); got != "1 [1, 1]" {
		t.Errorf("a constant difference: %s", got)
	}
	if e.Improvement.Value != 10.0/16 {
		t.Errorf("improvement %g: b is larger in 10 of 16 couples", e.Improvement.Value)
	}
	loose := stats.Compare([]float64{0, 10, 20, 30}, []float64{1, 11, 21, 31}).Difference
	if loose.Value != 1 || *loose.Low > -10 || *loose.High < 10 {
		t.Errorf("unpaired: %s", words(loose))
	}
	if e := stats.ComparePairs(nil); e.Difference != nil || e.Improvement != nil {
		t.Errorf("no pair: %+v", e)
	}
	if got := words(stats.ComparePairs([]stats.Pair{{A: 3, B: 1}}).Difference); got != "-2 [nil, nil]" {
		t.Errorf("one pair: %s", got)
	}
}

// TestIntervalWidth holds the percentile bootstrap of a mean to what it tends to
// with many resamples: the normal interval of the deviation with n in place of
// n − 1, here of 0…99 and its 100 + 0…99.
func TestIntervalWidth(t *testing.T) {
	var a, b []float64
	for i := range 100 {
		a, b = append(a, float64(i)), append(b, float64(100+i))
	}
	e := stats.Compare(a, b).Difference
	half := 1.959964 * math.Sqrt(2*(100*100-1)/12.0/100)
	if math.Abs(*e.Low-(100-half)) > 0.1*half || math.Abs(*e.High-(100+half)) > 0.1*half {
		t.Errorf("%s, want about 100 ± %g", words(e), half)
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
		if got := stats.Compare(a, b).Improvement.Value; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%g, want %g", got, want)
		}
	})
}

func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(1).Draw(t, "a"), sample(1).Draw(t, "b")
		e := stats.Compare(a, b)
		again := stats.Compare(rapid.Permutation(a).Draw(t, "order of a"), rapid.Permutation(b).Draw(t, "order of b"))
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("the order makes a difference:\n%s", diff)
		}
		checkMirror(t, e, stats.Compare(b, a), sameValues(a, b))
		checkShift(t, e, func(c float64) stats.Effect {
			moved := slices.Clone(b)
			for i := range moved {
				moved[i] += c
			}
			return stats.Compare(a, moved)
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
		e := stats.ComparePairs(pairs)
		if diff := cmp.Diff(e, stats.ComparePairs(rapid.Permutation(pairs).Draw(t, "order"))); diff != "" {
			t.Fatalf("the order makes a difference:\n%s", diff)
		}
		checkMirror(t, e, stats.ComparePairs(swapped), sameValues(a, b))
		checkShift(t, e, func(c float64) stats.Effect {
			moved := slices.Clone(pairs)
			for i := range moved {
				moved[i].B += c
			}
			return stats.ComparePairs(moved)
		})
	})
}

// sameValues says whether two samples are the same values: then no orientation
// is the mirror of the other.
func sameValues(a, b []float64) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func checkMirror(t *rapid.T, e, other stats.Effect, same bool) {
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	if !near(other.Difference.Value, -e.Difference.Value) || !near(other.Improvement.Value, 1-e.Improvement.Value) {
		t.Fatalf("swapped: %s and %s of %s and %s", words(other.Difference), words(other.Improvement),
			words(e.Difference), words(e.Improvement))
	}
	if same || e.Difference.Low == nil {
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
