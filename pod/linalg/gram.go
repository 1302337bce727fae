package linalg

import (
	"context"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// factorGram returns σ and the columns of V of a D of whole numbers, from the
// eigenvectors of DᵀD. Its cost grows with the squares of the numbers of entries of D's distinct
// rows that are not 0, and with the third power of the number of features that ever change.
//
// DᵀD is exact: its entries are whole numbers under 2⁵³. The rank of D is that of DᵀD, which is
// found without rounding; every σ beyond the rank is 0. The error of the other σ² is a
// small multiple of dε·σ₁², where d is the number of features that change: a σ far below σ₁ has
// half as many digits as one that is taken from D itself.
func (d *Decomposition) factorGram() (sigma []float64, v [][]float64, err error) {
	t, live, err := d.diagonalised(func() (*tridiagonal, []int, error) { return d.tridiagonalise(newGram(d.data)) })
	if err != nil {
		return nil, nil, err
	}
	rank, err := d.rankOf(t.diagonal)
	if err != nil {
		return nil, nil, err
	}
	order := descending(t.diagonal)
	sigma = make([]float64, d.data.Dims)
	for j, at := range order[:min(rank, len(order))] { // a forged state may have fewer
		sigma[j] = math.Sqrt(max(t.diagonal[at], float64(Epsilon*t.diagonal[order[0]])))
	}
	return sigma, t.vectors(order, live, d.data.Dims), nil
}

// FactorRounded returns the singular value decomposition of any D as [Gram] does that of whole numbers, to rounding: a
// σ that is not above the error of DᵀD counts as 0.
func FactorRounded(ctx context.Context, d Dataset) (schema.Factors, error) {
	x := NewDecomposition(Gram, d)
	x.rounded = true
	return x.Run(func(int64, int64) error { return ctx.Err() })
}

// rankOf returns the rank of DᵀD, whose eigenvalues are given. If all of them are far above their
// error it is full; otherwise [gramRank] finds it.
func (d *Decomposition) rankOf(eigenvalues []float64) (int, error) {
	if len(eigenvalues) == 0 {
		return 0, nil
	}
	noise := float64(float64(len(eigenvalues))*Epsilon) * slices.Max(eigenvalues)
	if slices.Min(eigenvalues) > float64(64*noise) {
		return len(eigenvalues), nil
	}
	if d.rounded {
		return len(slices.DeleteFunc(slices.Clone(eigenvalues), func(x float64) bool { return !(x > noise) })), nil
	}
	gram, _ := newGram(d.data)
	return gramRank(&d.watch, gram)
}

// findLive returns the features that ever change, in ascending order, and for each feature its index in that list plus
// 1, or 0.
func (d Dataset) findLive() (live, place []int) {
	place = make([]int, d.Dims)
	for _, row := range d.Rows {
		for _, e := range row {
			place[e.Feature] = 1
		}
	}
	for feature, changes := range place {
		if changes > 0 {
			live = append(live, feature)
			place[feature] = len(live)
		}
	}
	return live, place
}

// CountLive returns the number of features that ever change.
func (d Dataset) CountLive() int {
	live, _ := d.findLive()
	return len(live)
}

// newGram returns DᵀD for the features that ever change, and which these are, in ascending order.
func newGram(d Dataset) (gram [][]float64, live []int) {
	live, position := d.findLive()
	gram = NewSquare(len(live))
	for i, row := range d.Rows {
		for _, a := range row {
			into, x := gram[position[a.Feature]-1], float64(float64(d.Counts[i])*a.Value)
			for _, b := range row {
				into[position[b.Feature]-1] += float64(x * b.Value)
			}
		}
	}
	return gram, live
}

// nearlyLargest is the part of the largest magnitude from which on rounding may have made the difference.
const nearlyLargest = 1 - 0x1p-20

// fixSign makes the first entry positive whose magnitude is at least the given part of the column's largest.
func fixSign(column []float64, part float64) {
	largest := LargestMagnitude(column)
	first := slices.IndexFunc(column, func(x float64) bool { return math.Abs(x) >= float64(part*largest) })
	if first >= 0 && column[first] < 0 { // first is −1 if entries are NaN
		for i, x := range column {
			column[i] = 0 - x // never −0
		}
	}
}

// LargestMagnitude returns the largest magnitude among xs.
func LargestMagnitude(xs []float64) float64 {
	largest := 0.0
	for _, x := range xs {
		largest = max(largest, math.Abs(x))
	}
	return largest
}
