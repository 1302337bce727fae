package linalg

import (
	"math"

	"github.com/podtrack/podtrack/schema"
)

// A D whose features change by different amounts has its largest singular values where the amounts
// are large. Dividing each feature's change by its root mean square, D' = D diag(1/rms), puts them on
// one scale, as principal components of the correlation matrix are to those of the covariance matrix
// (Jolliffe, Principal Component Analysis, 2nd ed., §2.3). The factors are those of D'. A direction v'
// of D' is scaled back to the features, e_i = v'_i / rms_i, so that eᵀδ = v'ᵀδ' for every row; and then
// to length 1, since multiplying a reward by a constant changes no policy.

// RootMeanSquares returns the root mean square of each feature's change over all rows of D, 0 of one
// that never changes.
func (d Dataset) RootMeanSquares() []float64 {
	largest, sums, total := make([]float64, d.Dims), make([]float64, d.Dims), int64(0)
	for i, row := range d.Rows {
		total += d.Counts[i]
		for _, e := range row {
			largest[e.Feature] = max(largest[e.Feature], math.Abs(e.Value))
		}
	}
	units := make([]float64, d.Dims) // powers of two, so that squares neither overflow nor underflow
	for f, x := range largest {
		units[f] = powerOfTwoNear(x)
	}
	for i, row := range d.Rows {
		for _, e := range row {
			x := e.Value / units[e.Feature]
			sums[e.Feature] += float64(float64(d.Counts[i]) * float64(x*x))
		}
	}
	for f, sum := range sums {
		if largest[f] > 0 {
			sums[f] = float64(math.Sqrt(sum/float64(total)) * units[f])
		}
	}
	return sums
}

// Scaled returns D with each column divided by its root mean square.
func (d Dataset) Scaled() Dataset {
	rms := d.RootMeanSquares()
	scaled := Dataset{Dims: d.Dims, Rows: make([]schema.SparseRow, len(d.Rows)), Counts: d.Counts}
	for i, row := range d.Rows {
		scaled.Rows[i] = make(schema.SparseRow, 0, len(row))
		for _, e := range row {
			if e.Value != 0 && rms[e.Feature] > 0 { // 0 of changes too small for a root mean square
				e.Value /= rms[e.Feature]
				scaled.Rows[i] = append(scaled.Rows[i], e)
			}
		}
	}
	return scaled
}

// FactoredDataset returns the matrix whose decomposition the factors of a spec are: D, or the scaled D.
func FactoredDataset(spec schema.Spec, f schema.Factors) Dataset {
	if spec.FeatureScale == schema.RMS {
		return DatasetFromFactors(f).Scaled()
	}
	return DatasetFromFactors(f)
}

// ScaleBack divides the entries of a vector by those of rms, and scales it to length 1. Entries of
// features that never change become 0, unless the vector has no others: then it stays as it is.
func ScaleBack(v, rms []float64) {
	least := math.Inf(1) // so that no quotient overflows
	for i, x := range v {
		if x != 0 && rms[i] > 0 {
			least = min(least, rms[i])
		}
	}
	if math.IsInf(least, 1) {
		return
	}
	for i, x := range v {
		v[i] = 0
		if x != 0 && rms[i] > 0 {
			v[i] = x / (rms[i] / least)
		}
	}
	unit := powerOfTwoNear(LargestMagnitude(v))
	for i, x := range v {
		v[i] = x / unit
	}
	if length := Norm(v); length > 0 {
		for i, x := range v {
			v[i] = x/length + 0 // −0 + 0 = 0
		}
	}
}
