package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

// text returns an optional number to ten digits.
func text(x *float64) string {
	if x == nil {
		return "nil"
	}
	return fmt.Sprintf("%.10g", *x)
}

// TestSummarise has the deviations from sums of squares by hand, the quantiles
// from type 7's formula, the interquartile means from what is left of the list.
func TestSummarise(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string // n mean sd se min q1 median q3 max iqm
	}{
		{nil, "0 nil nil nil nil nil nil nil nil nil"},
		{[]float64{3}, "1 3 nil nil 3 3 3 3 3 3"},
		{[]float64{2, 1}, "2 1.5 0.7071067812 0.5 1 1.25 1.5 1.75 2 1.5"}, // √(0.5), √(0.5/2)
		// √(5/3), √(5/12); numpy.quantile says the same
		{[]float64{4, 2, 3, 1}, "4 2.5 1.290994449 0.6454972244 1 1.75 2.5 3.25 4 2.5"},
		{[]float64{1, 2, 3, 100}, "4 26.5 49.00680225 24.50340112 1 1.75 2.5 27.25 100 2.5"},
		{[]float64{0, 0, 1, 10, 100}, "5 22.2 43.69439323 19.5407267 0 0 1 10 100 3.666666667"}, // (0 + 1 + 10) / 3
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1}, "8 4.5 2.449489743 0.8660254038 1 2.75 4.5 6.25 8 4.5"},
		{[]float64{7, 7, 7}, "3 7 0 0 7 7 7 7 7 7"},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, "2 0 nil nil -1.797693135e+308 nil nil nil 1.797693135e+308 0"},
	} {
		given := slices.Clone(c.values)
		s := stats.Summarise(c.values)
		got := fmt.Sprint(s.N)
		for _, x := range []*float64{s.Mean, s.SD, s.SE, s.Min, s.Q1, s.Median, s.Q3, s.Max, s.IQM} {
			got += " " + text(x)
		}
		if got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.values, got, c.want)
		}
		if !slices.Equal(given, c.values) {
			t.Errorf("%v were sorted in place", given)
		}
	}
}

// sample draws values that are often equal, and sums of which are exact.
func sample(least int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(-40, 40), func(n int) float64 { return float64(n) / 4 }), least, 30)
}

// TestWilson has the first four intervals from Newcombe, "Two-sided confidence
// intervals for the single proportion", Statistics in Medicine 17, 1998, table I,
// method 3; the rest from the formula by hand with z² = 3.841459: z²/(n + z²)
// where none succeeded.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		low, high    float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{5, 10, 0.2366, 0.7634},
		{1, 1, 0.2065, 1},
		{0, 0, 0, 1},
	} {
		low, high := stats.Wilson(c.successes, c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.successes, c.n, low, high, c.low, c.high)
		}
	}
	for n := 1; n < 200; n++ {
		for x := range n + 1 {
			low, high := stats.Wilson(x, n)
			share := float64(x) / float64(n)
			if low < 0 || high > 1 || low > share || high < share || (x == 0) != (low == 0) || (x == n) != (high == 1) {
				t.Fatalf("%d of %d: %g to %g", x, n, low, high)
			}
			mirrorLow, mirrorHigh := stats.Wilson(n-x, n)
			if math.Abs(low+mirrorHigh-1) > 1e-12 || math.Abs(high+mirrorLow-1) > 1e-12 {
				t.Fatalf("%d of %d: failures have another interval", x, n)
			}
		}
	}
}
