package pod

import (
	"context"
	"math"
)

// An envelope is the lower triangle of a symmetric matrix, each row from its first entry that is not 0
// to the diagonal: no more of it changes in a Cholesky factorisation (George & Liu, Computer Solution of
// Large Sparse Positive Definite Systems, 1981, ch. 4). One-hot features need a diagonal alone, dense
// ones a triangle.
type envelope struct {
	first []int32     // column of the first entry of each row
	rows  [][]float64 // the entries from there to the diagonal
}

// newEnvelope returns a matrix of zeros, given the column of the first entry of each row.
func newEnvelope(first []int32) *envelope {
	e := &envelope{first: first, rows: make([][]float64, len(first))}
	all := make([]float64, envelopeEntries(first))
	for i, from := range first {
		n := i - int(from) + 1
		e.rows[i], all = all[:n:n], all[n:]
	}
	return e
}

func envelopeEntries(first []int32) (n int64) {
	for i, from := range first {
		n += int64(i-int(from)) + 1
	}
	return n
}

// factor replaces a positive semi-definite matrix by the L of LLᵀ. A row of which nothing is left when
// those before it are eliminated is dependent on them, and becomes 0; see [singularTolerance].
func (e *envelope) factor(ctx context.Context) error {
	for i, row := range e.rows {
		if i%16 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, size := int(e.first[i]), row[len(row)-1]
		for j := from; j < i; j++ {
			other := e.rows[j]
			pivot := other[len(other)-1]
			if pivot == 0 {
				row[j-from] = 0
				continue
			}
			both := max(from, int(e.first[j]))
			row[j-from] = (row[j-from] - dot(row[both-from:j-from], other[both-int(e.first[j]):])) / pivot
		}
		rest := row[:len(row)-1]
		if left := size - dot(rest, rest); left > float64(singularTolerance*size) {
			row[len(row)-1] = math.Sqrt(left)
		} else {
			clear(row)
		}
	}
	return nil
}

// solve replaces x by L⁻¹x; rows that are 0 give 0.
func (e *envelope) solve(x []float64) {
	for i, row := range e.rows {
		pivot := row[len(row)-1]
		if pivot == 0 {
			x[i] = 0
			continue
		}
		x[i] = (x[i] - dot(row[:len(row)-1], x[e.first[i]:])) / pivot
	}
}

// solveTransposed replaces x by L⁻ᵀx; rows that are 0 give 0.
func (e *envelope) solveTransposed(x []float64) {
	for i := len(e.rows) - 1; i >= 0; i-- {
		row := e.rows[i]
		pivot := row[len(row)-1]
		if pivot == 0 {
			x[i] = 0
			continue
		}
		x[i] /= pivot
		if x[i] != 0 {
			subtractMultiple(x[e.first[i]:i], row, x[i])
		}
	}
}
