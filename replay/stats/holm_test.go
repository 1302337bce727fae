package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

// TestSettle has a p-value and an interval that say different things: 0.030 beside [−17.71, 0.31].
func TestSettle(t *testing.T) {
	point := func(x float64) *float64 { return &x }
	between := func(low, high float64) *stats.Estimate {
		return &stats.Estimate{Value: (low + high) / 2, Low: &low, High: &high}
	}
	for _, c := range []struct {
		p    *float64
		e    *stats.Estimate
		want stats.Verdict
	}{
		{point(0.030), between(-17.71, 0.31), stats.Unsettled}, {point(0.030), between(-17.71, -0.31), stats.Less},
		{point(0.030), between(0.31, 17.71), stats.More}, {point(0.05), between(0.31, 17.71), stats.More},
		{point(0.0501), between(0.31, 17.71), stats.Unsettled}, {point(0), between(0, 17.71), stats.Unsettled},
		{point(0), between(-1, 0), stats.Unsettled}, {nil, between(1, 2), stats.Untested}, {point(0), nil, stats.Unsettled},
		{point(0), &stats.Estimate{Value: 3}, stats.Unsettled},
	} {
		if got := stats.Settle(c.p, c.e); got != c.want || got.IsSettled() != (c.want == stats.More || c.want == stats.Less) {
			t.Errorf("%v, %+v: %s, want %s", c.p, c.e, got, c.want)
		}
	}
}

// TestSettledDifferences: of samples of any kind, a settled difference has an interval on that side of 0, and p
// adjusted by any method is not less than by none.
func TestSettledDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 0, 12)
		baseline := values.Draw(t, "baseline")
		groups := rapid.SliceOfN(values, 1, 5).Draw(t, "groups")
		var p []*float64
		var effects []stats.Effect
		for _, g := range groups {
			e := stats.Compare(baseline, g, stats.Bonferroni(stats.Level, len(groups)))
			effects, p = append(effects, e), append(p, e.PValue)
		}
		for i, adjusted := range stats.HolmOf(p) {
			d := effects[i].Difference
			switch v := stats.Settle(adjusted, d); {
			case (adjusted == nil) != (p[i] == nil), adjusted != nil && *adjusted < *p[i]:
				t.Fatalf("%v was adjusted to %v", p[i], adjusted)
			case v == stats.More && (*adjusted > 0.05 || *d.Low <= 0), v == stats.Less && (*adjusted > 0.05 || *d.High >= 0):
				t.Fatalf("%s with p %v and %v to %v", v, *adjusted, *d.Low, *d.High)
			}
		}
	})
}

// TestHolmOfLists has R's p.adjust(p, "holm") of the first three lists, and the rest by hand.
func TestHolmOfLists(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{[]float64{0.01, 0.02, 0.03, 0.04}, []float64{0.04, 0.06, 0.06, 0.06}},
		{[]float64{0.5, 0.001, 0.9}, []float64{1, 0.003, 1}},
		{[]float64{0.2}, []float64{0.2}},
		{nil, []float64{}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
	} {
		got := stats.Holm(c.p)
		for i := range c.want {
			if len(got) != len(c.want) || math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v: %v, want %v", c.p, got, c.want)
			}
		}
	}
}
