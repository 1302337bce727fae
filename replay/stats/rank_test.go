package stats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/schematest"
)

// ranked is two samples, and what this package says of them.
type ranked struct {
	A, B                []float64
	RankSum, SignedRank *float64 // the latter of the pairs of the first values
	IQM                 *stats.Estimate
	Profile             []stats.ProfilePoint
}

// TestRankOracle lets SciPy compute rank tests, and the bootstrap over the same draws: see testdata/rank.py. SciPy
// 1.10.1 agrees. Some samples have ties, some pairs no difference; sizes lie on both sides of those up to which tests
// are exact.
func TestRankOracle(t *testing.T) {
	t.Parallel()
	python := schematest.Python(t, "numpy", "scipy")
	r := rand.New(rand.NewPCG(13, 17))
	var asked struct {
		Questions []ranked
		Draws     map[int][][]int // by the size of the sample
		Strata    []stratified
	}
	sizes := []int{1, 2, 3, 5, 7, 8, 9, 10, 30, 50, 51, 80}
	for i := range 6 * len(sizes) {
		s := sources[i%4]
		n, m := sizes[i%len(sizes)], sizes[(i+i/len(sizes))%len(sizes)]
		q := ranked{A: s.sample(r, n), B: s.shifted(r.Float64(), 1+r.Float64()).sample(r, m)}
		if i%3 == 0 {
			q.B = s.sample(r, m) // with ties, of Poisson's
		}
		var pairs []stats.Pair
		for i := range min(n, m) {
			pairs = append(pairs, stats.Pair{A: q.A[i], B: q.B[i]})
		}
		q.RankSum = stats.RankSum(q.A, q.B)
		q.SignedRank = stats.SignedRank(pairs)
		q.IQM, q.Profile = iqm(t, q.B), stats.Profile(q.B)
		asked.Questions = append(asked.Questions, q)
	}
	asked.Draws = map[int][][]int{}
	for _, n := range []int{2, 5, 9, 30} {
		err := stats.EachResample(t.Context(), []int{n}, func(drawn []int) {
			asked.Draws[n] = append(asked.Draws[n], slices.Clone(drawn))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 6 {
		asked.Strata = append(asked.Strata, drawStrata(t, r))
	}
	document, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "testdata/rank.py")
	c.Stdin = bytes.NewReader(document)
	out, err := c.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "%d samples agree, 24 over", len(asked.Questions))) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// stratified is samples of several strata, and what this package says of all of them.
type stratified struct {
	Samples     []stats.Samples
	Level       float64
	Improvement *stats.Estimate
	P           *float64
	IQM         *stats.Estimate // of all B
	Draws       [][]int
}

// drawStrata draws strata of different sizes and shifts, half of them with ties.
func drawStrata(t *testing.T, r *rand.Rand) (s stratified) {
	s.Level = stats.Bonferroni(stats.Level, 1+r.IntN(20))
	var b [][]float64
	var sizes []int
	for i := range 2 + r.IntN(4) {
		from := sources[i%4]
		if i%2 == 0 {
			from = from.shifted(r.Float64(), 1+r.Float64())
		}
		x := stats.Samples{A: sources[i%4].sample(r, 2+r.IntN(12)), B: from.sample(r, 2+r.IntN(12))}
		s.Samples, b, sizes = append(s.Samples, x), append(b, x.B), append(sizes, len(x.B))
	}
	s.Improvement, s.P = stats.ImprovementOver(s.Samples, s.Level)
	s.IQM = iqm(t, b...)
	if err := stats.EachResample(t.Context(), sizes, func(drawn []int) {
		s.Draws = append(s.Draws, slices.Clone(drawn))
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

func iqm(t testing.TB, strata ...[]float64) *stats.Estimate {
	e, err := stats.IQM(context.Background(), strata...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRankTests: the first p-values are counted by hand, of all orders or signs those at least as far from the middle.
// Those with ties
// are SciPy's, as what follows: Wilcoxon's corn plants of 1945, and the ages in its documentation of mannwhitneyu.
func TestRankTests(t *testing.T) {
	for _, c := range []struct {
		a, b     []float64
		rankSum  string
		signRank string
	}{
		{[]float64{1, 2}, []float64{3, 4}, "0.3333333333", "0.1572992071"}, // 2 of 6 orders; z = √2
		{[]float64{0, 0, 0}, []float64{1, 2, 3}, "0.06360256962", "0.25"},  // 2 of 8 signs
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, "0.1", "0.08326451666"},   // 2 of 20 orders
		{[]float64{1, 1}, []float64{1, 1}, "nil", "nil"},                   // nothing varies
		{[]float64{1}, []float64{2}, "nil", "nil"},                         // one run
		{nil, []float64{2, 3}, "nil", "nil"},                               // none
		{[]float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, "0.1111111111", ""},
		{make([]float64, 15), []float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}, "", "0.04125976562"},
	} {
		var pairs []stats.Pair
		for i := range min(len(c.a), len(c.b)) {
			pairs = append(pairs, stats.Pair{A: c.a[i], B: c.b[i]})
		}
		if got := text(stats.RankSum(c.a, c.b)); c.rankSum != "" && got != c.rankSum {
			t.Errorf("rank sum of %v and %v: %s, want %s", c.a, c.b, got, c.rankSum)
		}
		if got := text(stats.SignedRank(pairs)); c.signRank != "" && got != c.signRank {
			t.Errorf("signed rank of %v and %v: %s, want %s", c.a, c.b, got, c.signRank)
		}
	}
}

// TestIQM: of {0, 1} a resample has the mean 0, ½ or 1, of which the ends have a quarter of the draws each.
func TestIQM(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "nil"},
		{[]float64{3}, "3 nil nil"},
		{[]float64{0, 1}, "0.5 0 1"},
		{[]float64{7, 7, 7, 7, 7}, "7 7 7"},
		{[]float64{-math.MaxFloat64, 0, 0, math.MaxFloat64}, "0 nil nil"}, // sums of resamples overflow
	} {
		got := "nil"
		if e := iqm(t, c.values); e != nil {
			got = fmt.Sprintf("%s %s %s", text(&e.Value), text(e.Low), text(e.High))
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
	e, err := stats.IQM(t.Context(), []float64{1}, []float64{2, 3})
	if err != nil || e.Value != 2 || e.Low != nil || e.High != nil {
		t.Errorf("with a stratum of one value, which has no spread: %v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stats.IQM(ctx, []float64{1, 2}); err == nil {
		t.Error("a cancelled bootstrap went on")
	}
}

// TestIQMCoverage: of 5 normal values the interval contains the truth 91 % of the time, measured with 3,000 samples, as
// the help topic studies says; of 400 samples within three standard errors of that.
func TestIQMCoverage(t *testing.T) {
	t.Parallel()
	const samples = 400
	r, within := rand.New(rand.NewPCG(19, 23)), 0
	for range samples {
		if e := iqm(t, sources[0].sample(r, 5)); *e.Low <= 0 && 0 <= *e.High {
			within++
		}
	}
	if share := float64(within) / samples; math.Abs(share-0.91) > 3*math.Sqrt(0.91*0.09/samples) {
		t.Errorf("%g of the intervals contain the truth, want 0.91", share)
	}
}

// TestResamples: a large sample is drawn fewer times.
func TestResamples(t *testing.T) {
	for n, want := range map[int]int{2: 9999, 1000: 9999, 1001: 9990, 20_000: 999} {
		times := 0
		if err := stats.EachResample(t.Context(), []int{n}, func([]int) { times++ }); err != nil || times != want {
			t.Errorf("%d values are drawn %d times, want %d: %v", n, times, want, err)
		}
	}
}

// TestProfile: shares of five values by hand; Wilson's intervals are those of [stats.Wilson].
func TestProfile(t *testing.T) {
	got := ""
	for _, p := range stats.Profile([]float64{2, 9, 2, 4, 4}) {
		got += fmt.Sprintf("%g:%g ", p.Above, p.Share)
		if low, high := stats.Wilson(int(math.Round(5*p.Share)), 5); low != p.Low || high != p.High {
			t.Errorf("above %g: from %g to %g, want %g to %g", p.Above, p.Low, p.High, low, high)
		}
	}
	if want := "2:0.6 4:0.2 9:0 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p := stats.Profile(nil); p == nil || len(p) > 0 {
		t.Errorf("of nothing: %v", p)
	}
}

// TestRankSymmetry: neither the order of the values nor that of the samples makes a difference.
func TestRankSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sample(1).Draw(t, "a"), sample(1).Draw(t, "b")
		var pairs, reverse []stats.Pair
		for i := range min(len(a), len(b)) {
			pairs = append(pairs, stats.Pair{A: a[i], B: b[i]})
			reverse = append(reverse, stats.Pair{A: b[i], B: a[i]})
		}
		slices.Reverse(reverse)
		if one, other := text(stats.SignedRank(pairs)), text(stats.SignedRank(reverse)); one != other {
			t.Errorf("signed rank: %s and %s", one, other)
		}
		one := text(stats.RankSum(a, b))
		slices.Reverse(a)
		if other := text(stats.RankSum(b, a)); one != other {
			t.Errorf("rank sum: %s and %s", one, other)
		}
	})
}

// TestImprovementOver: the p-value is by hand; nil means that a sample is empty, has one value, or that none differs.
func TestImprovementOver(t *testing.T) {
	known := stats.Samples{A: []float64{1, 2}, B: []float64{3, 4}} // U = 4 of a mean of 2, with variance 5/3
	equal := stats.Samples{A: []float64{1, 1}, B: []float64{1, 1}}
	for _, c := range []struct {
		strata      []stats.Samples
		mean, p     string
		hasInterval bool
	}{
		{[]stats.Samples{known}, "1", "0.1213352504", true},         // z = 2/√(5/3)
		{[]stats.Samples{known, known}, "1", "0.02845973692", true}, // z = 4/√(10/3)
		{[]stats.Samples{known, equal}, "0.75", "0.1213352504", true},
		{[]stats.Samples{equal}, "0.5", "nil", true},
		{[]stats.Samples{known, {A: []float64{1}, B: []float64{2}}}, "1", "nil", false},
		{[]stats.Samples{known, {A: []float64{1}}}, "nil", "nil", false},
		{nil, "nil", "nil", false},
	} {
		mean, p := stats.ImprovementOver(c.strata, stats.Level)
		value := "nil"
		if mean != nil {
			value = fmt.Sprint(mean.Value)
		}
		if value != c.mean || text(p) != c.p || (mean != nil && mean.Low != nil) != c.hasInterval {
			t.Errorf("%v: %s, p %s, interval %v; want %s, p %s", c.strata, value, text(p), mean, c.mean, c.p)
		}
	}
}
