package linalg

import (
	"context"
	"math"
)

// An Envelope is the lower triangle of a symmetric matrix, each row from its first entry that is not 0
// to the diagonal: no more of it changes in a Cholesky factorisation (George & Liu, Computer Solution of
// Large Sparse Positive Definite Systems, 1981, ch. 4). One-hot features need a diagonal alone, dense
// ones a triangle.
type Envelope struct {
	First []int32     // column of the first entry of each row
	Rows  [][]float64 // the entries from there to the diagonal
}

// NewEnvelope returns a matrix of zeros, given the column of the first entry of each row.
func NewEnvelope(first []int32) *Envelope {
	e := &Envelope{First: first, Rows: make([][]float64, len(first))}
	all := make([]float64, EnvelopeEntries(first))
	for i, from := range first {
		n := i - int(from) + 1
		e.Rows[i], all = all[:n:n], all[n:]
	}
	return e
}

func EnvelopeEntries(first []int32) (n int64) {
	for i, from := range first {
		n += int64(i-int(from)) + 1
	}
	return n
}

// Factor replaces a positive semi-definite matrix by the L of LLᵀ. A row whose remainder after eliminating the earlier
// rows is negligible depends on them, and becomes 0; see [singularTolerance].
func (e *Envelope) Factor(ctx context.Context) error {
	for i, row := range e.Rows {
		if i%16 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, size := int(e.First[i]), row[len(row)-1]
		for j := from; j < i; j++ {
			other := e.Rows[j]
			pivot := other[len(other)-1]
			if pivot == 0 {
				row[j-from] = 0
				continue
			}
			both := max(from, int(e.First[j]))
			row[j-from] = (row[j-from] - Dot(row[both-from:j-from], other[both-int(e.First[j]):])) / pivot
		}
		rest := row[:len(row)-1]
		if left := size - Dot(rest, rest); left > float64(singularTolerance*size) {
			row[len(row)-1] = math.Sqrt(left)
		} else {
			clear(row)
		}
	}
	return nil
}

// Solve replaces x by L⁻¹x; rows that are 0 give 0.
func (e *Envelope) Solve(x []float64) {
	for i, row := range e.Rows {
		pivot := row[len(row)-1]
		if pivot == 0 {
			x[i] = 0
			continue
		}
		x[i] = (x[i] - Dot(row[:len(row)-1], x[e.First[i]:])) / pivot
	}
}

// SolveTransposed replaces x by L⁻ᵀx; rows that are 0 give 0.
func (e *Envelope) SolveTransposed(x []float64) {
	for i := len(e.Rows) - 1; i >= 0; i-- {
		row := e.Rows[i]
		pivot := row[len(row)-1]
		if pivot == 0 {
			x[i] = 0
			continue
		}
		x[i] /= pivot
		if x[i] != 0 {
			subtractMultiple(x[e.First[i]:i], row, x[i])
		}
	}
}
