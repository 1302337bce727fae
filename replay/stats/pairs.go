package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
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
