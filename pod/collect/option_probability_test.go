package collect_test

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestOptionProbability counts decisions on a ring with options of one step, one of which can start nowhere:
// of n decisions about np are for each kind, within five standard deviations of a binomial distribution, and
// the choices of a kind are alike.
func TestOptionProbability(t *testing.T) {
	const n, states = 40000, 8
	always := &schema.Option{Arity: 2, Policy: make([]int8, states), Certificate: schema.Certificate{MaxSteps: 1}}
	never := &schema.Option{Arity: 2, Policy: []int8{-1, -1, -1, -1, -1, -1, -1, -1}}
	for _, p := range []float64{0.05, 0.5, 1} {
		for options, list := range [][]*schema.Option{{never}, {always, never}, {always, never, always}} {
			c := collect.Collector{Env: podtest.Ring(t, 3, 0), Options: collect.OptionSet{Options: list}, OptionProbability: p,
				Stream: rng.NewStream(2, 1, collect.WalkStream), Executing: schema.Primitive}
			var steps schema.Transitions
			if err := c.Collect(t.Context(), &steps, n); err != nil {
				t.Fatal(err)
			}
			calls, chosen := map[int32]float64{}, 0.0
			for _, s := range steps.Spans {
				if s.Option != schema.Primitive {
					calls[s.Option] += float64(s.Steps)
					chosen += float64(s.Steps)
				}
			}
			want := p
			if options == 0 {
				want = 0
			}
			if far(chosen, n, want) {
				t.Errorf("p = %v, %d options: %v of %d decisions are for them", p, options, chosen, n)
			}
			for number, count := range calls {
				if far(count, chosen, 1/float64(options)) || number == 1 {
					t.Errorf("p = %v: option %d was called %v times of %v", p, number, count, chosen)
				}
			}
		}
	}
}

// far reports whether a count is not about a share p of n draws.
func far(count, n, p float64) bool {
	return math.Abs(count-n*p) > 5*math.Sqrt(n*p*(1-p))
}

// TestChance: p is compared with 53 bits of a number, of which [rng.Stream.Below] takes as many.
func TestChance(t *testing.T) {
	for _, p := range []float64{0x1p-53, 0.05, 0.3, 1 - 0x1p-53, 1} {
		chance, below := rng.NewStream(4, 2, "test"), rng.NewStream(4, 2, "test")
		for range 100 {
			x := float64(below.Below(1<<27)) / (1 << 27) // the 27 highest bits
			if got := chance.Chance(p); got != (x < p) && math.Abs(x-p) > 0x1p-26 {
				t.Fatalf("p = %v: %v for a number of about %v", p, got, x)
			}
		}
	}
}
