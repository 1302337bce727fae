package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// MeanOverPairs returns the mean of a symmetric matrix over all pairs of distinct members, with the 95 %
// interval of the delete-one jackknife. Pairs share members, so that what is left out is a member with all
// of its pairs (Arvesen, "Jackknifing U-statistics", The Annals of Mathematical Statistics 40(6), 1969):
// with θᵢ the mean without member i, the standard error is √((n − 1)/n · Σ(θᵢ − mean of θ)²), times
// Student's t with n − 1 degrees of freedom. It is nil for fewer than two members; the interval takes three.
func MeanOverPairs(matrix [][]float64) *Estimate {
	n := len(matrix)
	if n < 2 {
		return nil
	}
	rows, total := make([]float64, n), 0.0
	for i, row := range matrix {
		for j, x := range row {
			if i != j {
				rows[i] += x
			}
		}
		total += rows[i] / 2
	}
	e := &Estimate{Value: total / float64(n*(n-1)/2)}
	if n < 3 {
		return e
	}
	without := make([]float64, n)
	for i := range without {
		without[i] = (total - rows[i]) / float64((n-1)*(n-2)/2)
	}
	mean, squares := floats.Sum(without)/float64(n), 0.0
	for _, x := range without {
		squares += (x - mean) * (x - mean)
	}
	return centred(e.Value, tQuantile(Level, float64(n-1))*math.Sqrt(float64(n-1)/float64(n)*squares))
}
