package stats

import (
	"math"
	"slices"
)

// Largest samples of exact rank tests, as SciPy has them.
const (
	exactRankSum    = 8  // values of the smaller sample
	exactSignedRank = 50 // pairs
)

// RankSum returns the two-sided p-value of the rank-sum test of Wilcoxon, Mann and Whitney on two samples: the exact
// one if the smaller has at most 8 values and there are no ties, otherwise that of the normal approximation with
// corrections for ties and continuity. It is nil if all values are the same, and for samples of fewer than two.
func RankSum(a, b []float64) *float64 {
	n, m := len(a), len(b)
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	if n < 2 || m < 2 || all[0] == all[n+m-1] {
		return nil
	}
	won := winningHalves(a, b) // twice the statistic U of b
	won = max(won, 2*n*m-won)
	ties := tieTerm(all)
	if ties == 0 && min(n, m) <= exactRankSum {
		return tail(rankSumCounts(min(n, m), max(n, m)), n*m-won/2)
	}
	return normalTail((float64(won)/2 - float64(n)*float64(m)/2 - 0.5) / math.Sqrt(rankSumVariance(n, m, ties)))
}

// rankSumVariance returns the variance of the statistic U of n and m values from one distribution, corrected for ties.
func rankSumVariance(n, m int, ties float64) float64 {
	size := float64(n + m)
	return float64(n) * float64(m) / 12 * (size + 1 - ties/(size*(size-1)))
}

// tieTerm returns the sum of t³ − t over the ties of t values in an ascending sample.
func tieTerm(sorted []float64) (sum float64) {
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		t := float64(to - from)
		sum, from = sum+t*t*t-t, to
	}
	return sum
}

// rankSumCounts returns how many of the orders of n and m values give the statistic U = 0, 1, …, nm: the coefficients
// of the Gaussian binomial, which is the product of (1 − x^(m+i)) / (1 − xⁱ) over i from 1 to n.
func rankSumCounts(n, m int) []float64 {
	counts := make([]float64, n*m+1)
	counts[0] = 1
	for i := 1; i <= n; i++ {
		for u := i; u < len(counts); u++ {
			counts[u] += counts[u-i]
		}
		for u := len(counts) - 1; u >= m+i; u-- {
			counts[u] -= counts[u-m-i]
		}
	}
	return counts
}

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test on pairs: the exact one of at most 50
// without ties and zeros, otherwise, without the zeros, that of the normal approximation with the correction for ties.
// It is nil for fewer than two pairs, and if no pair differs.
func SignedRank(pairs []Pair) *float64 {
	var sizes []float64
	for _, p := range pairs {
		if p.B != p.A {
			sizes = append(sizes, math.Abs(p.B-p.A))
		}
	}
	if len(pairs) < 2 || len(sizes) == 0 {
		return nil
	}
	slices.Sort(sizes)
	positive := 0.0 // sum of the ranks of positive differences
	for _, p := range pairs {
		if d := p.B - p.A; d > 0 {
			below, _ := slices.BinarySearch(sizes, d)
			upTo := below
			for upTo < len(sizes) && sizes[upTo] == d {
				upTo++
			}
			positive += float64(below+1+upTo) / 2
		}
	}
	ties, n := tieTerm(sizes), float64(len(sizes))
	sum := n * (n + 1) / 2
	positive = min(positive, sum-positive)
	if ties == 0 && len(sizes) == len(pairs) && len(sizes) <= exactSignedRank {
		return tail(signedRankCounts(len(sizes)), int(positive))
	}
	variance := (n*(n+1)*(2*n+1) - ties/2) / 24
	return normalTail((sum/2 - positive) / math.Sqrt(variance))
}

// signedRankCounts returns how many of the sets of the ranks 1 to n have the sum 0, 1, …, n(n + 1)/2.
func signedRankCounts(n int) []float64 {
	counts := make([]float64, n*(n+1)/2+1)
	counts[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := len(counts) - 1; sum >= rank; sum-- {
			counts[sum] += counts[sum-rank]
		}
	}
	return counts
}

// tail returns the two-sided p-value of a statistic in the lower half of a symmetric distribution: twice the share of
// the counts up to it, at most 1.
func tail(counts []float64, statistic int) *float64 {
	low, all := 0.0, 0.0
	for i, c := range counts {
		if all += c; i <= statistic {
			low += c
		}
	}
	return finite(min(1, 2*low/all))
}

// normalTail returns the two-sided p-value of a standard normal statistic, of which 0 is not exceeded.
func normalTail(z float64) *float64 { return finite(math.Erfc(max(z, 0) / math.Sqrt2)) }

// Samples is two independent samples of one kind.
type Samples struct{ A, B []float64 }

// ImprovementOver returns the mean over strata of P(b > a) + ½P(b = a), in which each counts the same, and the
// two-sided p-value of the rank-sum test over them (van Elteren): that of the normal approximation, with corrections
// for ties. Its interval at the given level is that of Newcombe's intervals, whose distances are squared and added. It
// is nil if a sample is empty; interval and p-value need two values in each, the latter some that differ.
func ImprovementOver(strata []Samples, level float64) (mean *Estimate, p *float64) {
	var sum, below, above, variance float64
	known := len(strata) > 0
	for _, s := range strata {
		a, b := slices.Sorted(slices.Values(s.A)), slices.Sorted(slices.Values(s.B))
		if len(a) == 0 || len(b) == 0 {
			return nil, nil
		}
		e := improvement(a, b, level)
		if sum += e.Value; e.Low == nil {
			known = false
			continue
		}
		below += square(e.Value - *e.Low)
		above += square(*e.High - e.Value)
		ties := tieTerm(slices.Sorted(slices.Values(slices.Concat(a, b))))
		variance += rankSumVariance(len(a), len(b), ties) / square(float64(len(a)*len(b)))
	}
	n := float64(len(strata))
	switch {
	case len(strata) == 0:
		return nil, nil
	case !known:
		return &Estimate{Value: sum / n}, nil
	}
	mean = &Estimate{Value: sum / n, Low: finite((sum - math.Sqrt(below)) / n), High: finite((sum + math.Sqrt(above)) / n)}
	if variance == 0 {
		return mean, nil
	}
	return mean, normalTail(math.Abs(sum-n/2) / math.Sqrt(variance))
}

func square(x float64) float64 { return float64(x * x) }
