package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// MeanOverPairs returns the mean of a symmetric matrix over all pairs of distinct members, with the 95 %
// interval of the delete-one jackknife. Pairs share members, so the jackknife leaves out a member with all of
// its pairs (Arvesen, "Jackknifing U-statistics", The Annals of Mathematical Statistics 40(6), 1969): with θᵢ
// the mean without member i, the standard error is √((n − 1)/n · Σ(θᵢ − mean of θ)²), times Student's t with n
// − 1 degrees of freedom. It is nil for fewer than two members; the interval takes three.
func MeanOverPairs(matrix [][]float64) *Estimate {
	n := len(matrix)
	if n < 2 {
		return nil
	}
	value, variance := meanOverPairs(matrix)
	if n < 3 {
		return &Estimate{Value: value}
	}
	return centred(value, tQuantile(Level, float64(n-1))*math.Sqrt(variance))
}

// meanOverPairs returns the mean over the pairs of at least two members, and its variance, which needs three.
func meanOverPairs(matrix [][]float64) (mean, variance float64) {
	n := len(matrix)
	rows, total := make([]float64, n), 0.0
	for i, row := range matrix {
		for j, x := range row {
			if i != j {
				rows[i] += x
			}
		}
		total += rows[i] / 2
	}
	mean = total / float64(n*(n-1)/2)
	if n < 3 {
		return mean, 0
	}
	without := make([]float64, n)
	for i := range without {
		without[i] = (total - rows[i]) / float64((n-1)*(n-2)/2)
	}
	return mean, jackknifeVariance(without)
}

// jackknifeVariance returns the variance of an estimate, given the estimates without each of the members.
func jackknifeVariance(without []float64) (variance float64) {
	n := float64(len(without))
	mean := floats.Sum(without) / n
	for _, x := range without {
		variance += (x - mean) * (x - mean)
	}
	return variance * (n - 1) / n
}

// Ratio returns the mean of b divided by the mean of a, with its interval at the given level: Fieller's, of paired
// normal samples (Journal of the Royal Statistical Society B 16, 1954). The interval is nil if the mean of a is not
// significantly different from 0, and the ratio is nil if that mean is 0.
func Ratio(pairs []Pair, level float64) *Estimate {
	var a, b []float64
	for _, p := range pairs {
		a, b = append(a, p.A), append(b, p.B)
	}
	n := float64(len(pairs))
	if n == 0 || stat.Mean(a, nil) == 0 {
		return nil
	}
	x, y := stat.Mean(a, nil), stat.Mean(b, nil)
	e := &Estimate{Value: y / x}
	if n < 2 {
		return e
	}
	t := tQuantile(level, n-1)
	f := t * t / n
	// θ with (y − θx)² ≤ f·var(b − θa): pθ² − 2qθ + r ≤ 0
	p, q, r := x*x-f*stat.Variance(a, nil), x*y-f*stat.Covariance(a, b, nil), y*y-f*stat.Variance(b, nil)
	if d := q*q - p*r; p > 0 && d >= 0 {
		e.Low, e.High = finite((q-math.Sqrt(d))/p), finite((q+math.Sqrt(d))/p)
	}
	return e
}
