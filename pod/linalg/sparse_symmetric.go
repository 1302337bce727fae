package linalg

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// sparseSymmetric is a symmetric matrix by the entries of its rows that are not 0.
type sparseSymmetric struct {
	first  []int // of row i, the index of its first entry; then that of the end
	column []int32
	value  []float64
}

// newSparseSymmetric returns the symmetric matrix whose rows D has, over the columns that are not 0, and which these
// are, in ascending order.
//
// A dataset does not say which row of the matrix each of its rows is. But in the matrices of package matrix the largest
// entry of each row is on the diagonal. Equal rows have as many such entries as there are of them.
func newSparseSymmetric(d Dataset) (*sparseSymmetric, []int, error) {
	live, place := d.findLive()
	rows := make([]schema.SparseRow, len(live))
	for i, row := range d.Rows {
		left, largest := d.Counts[i], math.Inf(-1)
		for _, e := range row {
			largest = max(largest, e.Value)
		}
		for _, e := range row {
			if at := place[e.Feature] - 1; e.Value == largest && rows[at] == nil {
				rows[at] = row
				left--
			}
		}
		if left != 0 && len(row) > 0 {
			return nil, nil, errNotSymmetric
		}
	}
	m := &sparseSymmetric{first: make([]int, 1, len(live)+1)}
	for _, row := range rows {
		for _, e := range row {
			m.column, m.value = append(m.column, int32(place[e.Feature]-1)), append(m.value, e.Value)
		}
		m.first = append(m.first, len(m.column))
	}
	if !m.isSymmetric() {
		return nil, nil, errNotSymmetric
	}
	return m, live, nil
}

// size returns the number of rows.
func (m *sparseSymmetric) size() int { return len(m.first) - 1 }

// isSymmetric reports whether each entry equals the one on the other side of the diagonal.
func (m *sparseSymmetric) isSymmetric() bool {
	next := slices.Clone(m.first) // by row, the entry that has not been compared
	for i := range m.size() {
		for at := m.first[i]; at < m.first[i+1]; at++ {
			j := int(m.column[at])
			if next[j] == m.first[j+1] || int(m.column[next[j]]) != i || m.value[next[j]] != m.value[at] {
				return false
			}
			next[j]++
		}
	}
	return true
}

// stepChebyshev sets out to scale times the product with x, less 2x and less what out was. Both have the given number
// of columns, by rows.
func (m *sparseSymmetric) stepChebyshev(scale float64, x, out []float64, columns int) {
	for i := range m.size() {
		sum := out[i*columns : (i+1)*columns]
		for c, y := range x[i*columns : (i+1)*columns] {
			sum[c] = -sum[c] - float64(2*y)
		}
		m.addRow(i, scale, x, sum)
	}
}

// multiply sets out to the product with x. Both have the given number of columns, by rows.
func (m *sparseSymmetric) multiply(x, out []float64, columns int) {
	clear(out)
	for i := range m.size() {
		m.addRow(i, 1, x, out[i*columns:(i+1)*columns])
	}
}

// addRow adds scale times row i of the product with x to sum.
func (m *sparseSymmetric) addRow(i int, scale float64, x, sum []float64) {
	columns := len(sum)
	for at := m.first[i]; at < m.first[i+1]; at++ {
		a, from := float64(scale*m.value[at]), int(m.column[at])*columns
		row := x[from : from+columns]
		for c := range sum {
			sum[c] += float64(a * row[c])
		}
	}
}
