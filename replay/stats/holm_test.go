package stats_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
)

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

// TestHolmProperties: adjusted values keep the order of p, are no smaller and at most n times as large.
func TestHolmProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "p")
		got := stats.Holm(p)
		for i := range p {
			if got[i] < p[i] || got[i] > math.Min(1, float64(len(p))*p[i]) {
				t.Fatalf("%v became %v", p[i], got[i])
			}
			for j := range p {
				if p[i] < p[j] && got[i] > got[j] {
					t.Fatalf("%v: %v", p, got)
				}
			}
		}
		if least := slices.Index(p, slices.Min(p)); got[least] != math.Min(1, float64(len(p))*p[least]) {
			t.Fatalf("the smallest of %v became %v", p, got[least])
		}
	})
}
