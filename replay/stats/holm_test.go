package stats_test

import (
	"math"
	"testing"

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
