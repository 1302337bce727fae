package collect_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// naiveTotals are the sums of all weights, by exponent.
var naiveTotals = map[int]*big.Int{}

// newNaiveHold returns a function that says, after each step of an action, whether another one follows without a
// decision. Its draws are those that FORMAT.md has under Randomness, in long integers.
func newNaiveHold(b schema.Behaviour, stream *rng.Stream) func() bool {
	p := b.Persistence()
	switch {
	case p.Exponent > 0:
		weight := func(n int64) *big.Int {
			power := new(big.Int).Exp(big.NewInt(n), big.NewInt(int64(p.Exponent)), nil)
			return new(big.Int).Quo(new(big.Int).Lsh(big.NewInt(1), 62), power)
		}
		total := naiveTotals[p.Exponent]
		if total == nil {
			total = new(big.Int)
			for n := int64(1); n <= 65536; n++ {
				total.Add(total, weight(n))
			}
			naiveTotals[p.Exponent] = total
		}
		draw := new(big.Int).SetUint64(stream.BelowBound(total.Uint64()))
		left := int64(1)
		for ; draw.Cmp(weight(left)) >= 0; left++ {
			draw.Sub(draw, weight(left))
		}
		return func() bool { left--; return left > 0 }
	case p.Mean > 0:
		ends := stream.Chance(1 / p.Mean) // drawn before the step
		return func() bool {
			goesOn := !ends
			if goesOn {
				ends = stream.Chance(1 / p.Mean)
			}
			return goesOn
		}
	}
	return func() bool { return false }
}

// drawDurations returns how often an action was taken for 1, 2, … steps, of n.
func drawDurations(t *testing.T, b schema.Behaviour, n int) map[int64]int {
	t.Helper()
	c := collect.Collector{Env: podtest.Ring(t, 12, 0), Executing: schema.Primitive,
		Stream: rng.NewStream(7, 0, collect.WalkStream), Persistence: collect.NewPersistence(b)}
	durations := map[int64]int{}
	var steps schema.Transitions
	for range n {
		duration := int64(0)
		for more := true; more; more = c.Held.Steps > 0 {
			if c.Held.Steps > 1 { // of a table: known at once
				duration += c.Held.Steps
				c.Held.Steps = 0
				break
			}
			if err := c.Collect(t.Context(), &steps, 1); err != nil {
				t.Fatal(err)
			}
			duration++
		}
		durations[duration]++
	}
	return durations
}

// TestDurations compares how long actions are taken with the closed forms, n^−z / Σ n^−z for n up to 65536 and
// (1 − 1/m)^(n−1) / m, by Pearson's χ² over bins with the stated 99.9 % points (scipy 1.10 stats.chi2.ppf(0.999, k)).
func TestDurations(t *testing.T) {
	zeta := func(z float64) func(n int64) float64 {
		sum := 0.0
		for n := 65536; n >= 1; n-- {
			sum += math.Pow(float64(n), -z)
		}
		return func(n int64) float64 { return math.Pow(float64(n), -z) / sum }
	}
	geometric := func(mean float64) func(n int64) float64 {
		return func(n int64) float64 { return math.Pow(1-1/mean, float64(n-1)) / mean }
	}
	for _, c := range []struct {
		behaviour schema.Behaviour
		n         int
		share     func(n int64) float64
		ends      []int64 // of the bins, the last of which has all that is longer
		point     float64 // of χ² with as many degrees of freedom as ends
	}{
		{"zeta=2", 200_000, zeta(2), []int64{1, 2, 3, 4, 5, 7, 10, 20, 50, 100, 1000, 10_000}, 32.909},
		{"zeta=3", 200_000, zeta(3), []int64{1, 2, 3, 4, 7, 20, 60}, 24.322},
		{"geometric=1.25", 100_000, geometric(1.25), []int64{1, 2, 3, 4, 5}, 20.515},
		{"geometric=200", 20_000, geometric(200), []int64{1, 20, 50, 100, 150, 200, 300, 400, 600, 1000}, 29.588},
	} {
		durations := drawDurations(t, c.behaviour, c.n)
		statistic, left, first := 0.0, 1.0, int64(1)
		compare := func(share float64, last int64) {
			count := 0
			for n, times := range durations {
				if n >= first && n <= last {
					count += times
				}
			}
			want := share * float64(c.n)
			statistic += (float64(count) - want) * (float64(count) - want) / want
		}
		for _, last := range c.ends {
			share := 0.0
			for n := first; n <= last; n++ {
				share += c.share(n)
			}
			compare(share, last)
			left, first = left-share, last+1
		}
		if compare(left, math.MaxInt64); statistic > c.point {
			t.Errorf("%s: χ² %v, above %v", c.behaviour, statistic, c.point)
		}
	}
}

// TestMeanSteps compares the mean duration with the closed form: Σ n^(1−z) / Σ n^−z for n up to 65536.
func TestMeanSteps(t *testing.T) {
	for b, want := range map[schema.Behaviour]float64{
		"": 1, "geometric=200": 200,
		"zeta=2": 7.0931, // 11.667578 / 1.644919
		"zeta=3": 1.3684, // 1.644919 / 1.202057
	} {
		if got := collect.NewPersistence(b).MeanSteps(); math.Abs(got-want) > 1e-3*want {
			t.Errorf("%q: a mean of %v, want %v", b, got, want)
		}
	}
}

// TestPersistenceGoesFar walks on the paper's ring without options, 6 iterations of 1000 steps as in podtrack help
// methods, which has other seeds: means of 343, 594 and 40 steps, with standard deviations between seeds of about 90.
func TestPersistenceGoesFar(t *testing.T) {
	const seeds, iterations = 20, 6
	env := podtest.Ring(t, 12, 0)
	for b, bounds := range map[schema.Behaviour][2]float64{
		"": {34, 46}, "zeta=2": {260, 420}, "geometric=200": {510, 680},
	} {
		sum := 0.0
		for seed := range uint64(seeds) {
			state := env.Start()
			for k := range iterations {
				c := collect.Collector{Env: env, Executing: schema.Primitive, State: state,
					Stream: rng.NewStream(seed, k, collect.WalkStream), Persistence: collect.NewPersistence(b)}
				stats := collect.NewTransitionStats(env, collect.OptionSet{}, state)
				steps := schema.Transitions{Start: uint64(state), Arity: 2}
				if err := errors.Join(c.Collect(t.Context(), &steps, 1000), stats.Add(&steps)); err != nil {
					t.Fatal(err)
				}
				state = c.State
				sum += float64(*stats.Measures(0, 0).Distance)
			}
		}
		if mean := sum / (seeds * iterations); mean < bounds[0] || mean > bounds[1] {
			t.Errorf("%q: a mean distance of %v, not in %v", b, mean, bounds)
		}
	}
}

// TestHoldEndsWithEpisode walks through episodes of 7 steps with actions that would never end: in each episode one
// action is taken, whichever walls it bumps into, and each begins with a decision.
func TestHoldEndsWithEpisode(t *testing.T) {
	e, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	e.Text["map"], e.Params["episode"] = "four-rooms", 7
	env := podtest.Simulated(t, e)
	c := collect.Collector{Env: env, Running: envs.NewRunningEnv(env, 3, 0, env.Start()), Executing: schema.Primitive,
		Stream: rng.NewStream(3, 0, collect.WalkStream), Persistence: collect.NewPersistence("geometric=1e12"),
		State: env.Start()}
	steps := schema.Transitions{Start: uint64(env.Start()), Arity: 4, Next: []uint32{}}
	if err := c.Collect(t.Context(), &steps, 700); err != nil {
		t.Fatal(err)
	}
	first := map[uint8]int{}
	for at, a := range steps.Actions {
		if a != steps.Actions[at/7*7] {
			t.Fatalf("step %d: action %d, after %v", at, a, steps.Actions[at/7*7:at])
		}
		if at%7 == 0 {
			first[a]++
		}
	}
	if len(first) != 4 || strings.Count(string(steps.Actions), string(steps.Actions[:7])) > 60 {
		t.Errorf("100 episodes begin with actions %v", first)
	}
}
