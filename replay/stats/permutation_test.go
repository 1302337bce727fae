package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/schematest"
)

// agreeing returns the similarity of points on a line: 1 − |x − y|.
func agreeing(points []float64) [][]float64 {
	m := make([][]float64, len(points))
	for i, x := range points {
		for _, y := range points {
			m[i] = append(m[i], 1-math.Abs(x-y))
		}
	}
	return m
}

// TestMeanOverPairs has three members, where leaving out each leaves one pair: θ is 0.2, 0.4 and 0.9 for members 2, 1
// and 0, with a mean of 0.5 and squares of 0.26, so the standard error is √(2/3 · 0.26); 4.302653 is Student's t.
func TestMeanOverPairs(t *testing.T) {
	e := stats.MeanOverPairs([][]float64{{1, 0.2, 0.4}, {0.2, 1, 0.9}, {0.4, 0.9, 1}})
	half := 4.302652729911275 * math.Sqrt(2.0/3*0.26)
	if math.Abs(e.Value-0.5) > 1e-12 || math.Abs(*e.Low-(0.5-half)) > 1e-9 || math.Abs(*e.High-(0.5+half)) > 1e-9 {
		t.Errorf("%s, want 0.5 ± %v", words(e), half)
	}
	if e := stats.MeanOverPairs([][]float64{{1, 0.3}, {0.3, 1}}); words(e) != "0.3 [nil, nil]" {
		t.Errorf("two members: %s", words(e))
	}
	if e := stats.MeanOverPairs([][]float64{{1}}); e != nil {
		t.Errorf("one member: %s", words(e))
	}
}

// TestMeanOverPairsCovers: of means over pairs of members drawn anew, 95 % intervals hold the true one in about 95 % of
// the cases. With x uniform on 0…1 the mean of 1 − |x − y| is 2/3.
func TestMeanOverPairsCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 2000
	for _, n := range []int{5, 10, 30} {
		held := 0
		for range trials {
			points := make([]float64, n)
			for i := range points {
				points[i] = random.Float64()
			}
			if e := stats.MeanOverPairs(agreeing(points)); *e.Low <= 2.0/3 && 2.0/3 <= *e.High {
				held++
			}
		}
		if share := float64(held) / trials; share < 0.92 || share > 0.98 {
			t.Errorf("%d members: %.3f of the intervals hold the mean", n, share)
		}
	}
}

// permute tests points of which the first n are observed, all in one stratum.
func permute(t *testing.T, points []float64, n, draws int) float64 {
	t.Helper()
	all := make([]int, len(points))
	for i := range all {
		all[i] = i
	}
	p := stats.Permutation{
		Similarity: agreeing(points), Strata: []stats.Stratum{{Members: all, Observed: n}}, Draws: draws,
	}
	test, err := p.Test(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// TestPermutationOfAll: where every pair is alike, every draw reaches what was observed; where the observed members
// alone are alike, those draws do that are the observed members, 1 of the C(5, 2) = 10 pairs.
func TestPermutationOfAll(t *testing.T) {
	if p := permute(t, make([]float64, 9), 4, 99); p != 1 {
		t.Errorf("all alike: p = %v", p)
	}
	const draws = 20000
	p := permute(t, []float64{0, 0, 0.3, 0.5, 0.9}, 2, draws)
	if math.Abs(p-0.1) > 4*math.Sqrt(0.1*0.9/draws) {
		t.Errorf("p = %v, want about 1/10", p)
	}
	if again := permute(t, []float64{0, 0, 0.3, 0.5, 0.9}, 2, draws); again != p {
		t.Errorf("drawn again p = %v, not %v", again, p)
	}
}

// TestPermutationIsExact: where observed and reference members are drawn alike, p ≤ α has a probability of about α,
// and never much more, with strata of several sizes.
func TestPermutationIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	trials := schematest.Size(400, 1500)
	var ps []float64
	for range trials {
		points := make([]float64, 30)
		for i := range points {
			points[i] = random.Float64()
			if i%3 == 0 {
				points[i] *= 0.2 // another law for another stratum
			}
		}
		strata := make([]stats.Stratum, 2)
		for i := range points {
			s := &strata[min(i%3, 1)]
			s.Members = append(s.Members, i)
		}
		strata[0].Observed, strata[1].Observed = 3, 2
		test, err := stats.Permutation{Similarity: agreeing(points), Strata: strata, Draws: 199}.Test(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, test)
	}
	slices.Sort(ps)
	for _, alpha := range []float64{0.05, 0.1, 0.25, 0.5, 0.75} {
		below := 0
		for _, p := range ps {
			if p <= alpha {
				below++
			}
		}
		share, se := float64(below)/float64(trials), math.Sqrt(alpha*(1-alpha)/float64(trials))
		if math.Abs(share-alpha) > 4*se {
			t.Errorf("p ≤ %v in %.3f of %d cases (standard error %.3f)", alpha, share, trials, se)
		}
	}
}
