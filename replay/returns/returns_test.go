package returns

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema/schematest"
)

// TestKnownReturns adds up by hand: episodes of rewards −1, −1, 0 and of 20 and of −1, −1, and two steps of
// one that does not end.
func TestKnownReturns(t *testing.T) {
	var e earnings
	for _, s := range []struct {
		reward float64
		ends   bool
	}{{-1, false}, {-1, false}, {0, true}, {20, true}, {-1, false}, {-1, true}, {5, false}, {-1, false}} {
		e.add(s.reward, s.ends)
	}
	r := Summary{Iterations: []Iteration{e.iteration(0), new(earnings).iteration(1)}}
	for name, want := range map[string]float64{
		"episodes": 3, "mean_return": 16.0 / 3, "median_return": -2, "last_return": -2, "episode_steps": 2,
		"mean_reward": 20.0 / 8,
	} {
		if got, found := r.Get(name, 0); !found || got == nil || *got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
		if got, _ := r.Get(name, 1); got != nil && (name != "episodes" || *got != 0) {
			t.Errorf("%s of no steps is %v", name, *got)
		}
	}
	if _, found := r.Get("return", 0); found {
		t.Error("there is a measure return")
	}
}

// TestMedian: as many returns are below the median as above it.
func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e earnings
		all := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 30).Draw(t, "returns")
		for _, x := range all {
			e.add(x, true)
		}
		it := e.iteration(0)
		below, above := 0, 0
		for _, x := range all {
			if x < *it.MedianReturn {
				below++
			}
			if x > *it.MedianReturn {
				above++
			}
		}
		if 2*below > len(all) || 2*above > len(all) || *it.LastReturn != all[len(all)-1] {
			t.Fatalf("%d returns below the median of %d, %d above; the last is %v", below, len(all), above, *it.LastReturn)
		}
	})
}

// TestReturnsBeyondNumbers: what is beyond the range of numbers is not defined.
func TestReturnsBeyondNumbers(t *testing.T) {
	var e earnings
	e.add(math.MaxFloat64, false)
	e.add(math.MaxFloat64, true)
	if it := e.iteration(0); it.MeanReturn != nil || it.MedianReturn != nil || it.MeanReward != nil || it.Episodes != 1 {
		t.Errorf("%+v", it)
	}
}

func TestMain(m *testing.M) { schematest.Main(m) }
