package linalg

import "slices"

// panelWidth is the number of rows or columns of Z that are worked on together.
const panelWidth = 16

// A panel holds panelWidth rows or columns of a matrix side by side, so that they stay in the cache while everything
// that is done to them is done.
type panel [][panelWidth]float64

// These are the plain kernels, or vectorised ones where the processor has AVX2.
var (
	reflectPanel = reflectRows
	turnChain    = turnRows
	updateFour   = updateRows
	addProducts  = addRows
	turn         = turnSlices
)

// setRows sets the panel to the rows of Z from the given one on, as its columns. The transpose of Z is the product of
// the reflections in the rows of a.
func (p panel) setRows(first int, a [][]float64, scales []float64) {
	clear(p)
	end := min(first+panelWidth, len(p))
	for i := first; i < end; i++ {
		p[i][i-first] = 1
	}
	// The reflection at before is still to be done, with these factors. The next one's products are computed while it
	// is. Reflections from end−1 on would change no row.
	var factors, sums [panelWidth]float64
	before := len(p) - 1
	for k := end - 2; k >= 0; k-- {
		if scales[k] == 0 {
			continue
		}
		clear(sums[:])
		v := a[k][k+1:]
		addProducts(p[k+1:before+1], v, &sums)
		reflectPanel(p[before+1:], a[before][before+1:], &factors, v[before-k:], &sums)
		for i, sum := range sums {
			factors[i] = float64(scales[k] * sum)
		}
		before = k
	}
	for i, x := range a[before][before+1:] {
		subtractMultiple(p[before+1+i][:], factors[:], x)
	}
}

// row returns a column of the panel.
func (p panel) row(column int) []float64 {
	x := make([]float64, len(p))
	for i := range p {
		x[i] = p[i][column]
	}
	return x
}

// setColumns sets the panel's columns to at most panelWidth rows of a matrix.
func (p panel) setColumns(rows [][]float64) {
	for column, row := range rows {
		for i, x := range row {
			p[i][column] = x
		}
	}
}

// addRows adds the panel's rows, each times a number of y, to sums.
func addRows(p panel, y []float64, sums *[panelWidth]float64) {
	for i := range p {
		for j, z := range p[i] {
			sums[j] += float64(y[i] * z)
		}
	}
}

// reflectRows subtracts the factors, each times a number of x, from the panel's rows. It adds these rows, each times a
// number of y, to sums.
func reflectRows(p panel, x []float64, factors *[panelWidth]float64, y []float64, sums *[panelWidth]float64) {
	for i := range p {
		subtractMultiple(p[i][:], factors[:], x[i])
	}
	addRows(p, y, sums)
}

// apply applies the rotations in order, and clears the list. Rotations do not mix columns, so all can be applied to
// some columns before the next ones.
func (r *rotations) apply(z [][]float64) {
	if len(*r) == 0 {
		return
	}
	p, chains := make(panel, len(z)), r.chains()
	for from := 0; from < len(z); from += panelWidth {
		for i, row := range z {
			copy(p[i][:], row[from:])
		}
		for _, chain := range chains {
			turnChain(p, chain)
		}
		for i, row := range z {
			copy(row[from:], p[i][:])
		}
	}
	*r = (*r)[:0]
}

// chains returns the rotations in order, as stretches in which each is one row above the one before.
func (r rotations) chains() (all []rotations) {
	for begin, end := 0, 1; end <= len(r); end++ {
		if end == len(r) || r[end].row != r[end-1].row-1 {
			all = append(all, r[begin:end])
			begin = end
		}
	}
	return all
}

// turnRows applies a chain of rotations to the rows of a panel.
func turnRows(p panel, chain rotations) {
	for _, r := range chain {
		turnSlices(p[r.row][:], p[r.row+1][:], r.c, r.s)
	}
}

// SubtractProjections subtracts from each vector its projections on the vectors of an orthonormal basis, one after the
// other. All have the same length.
func SubtractProjections(basis, vectors [][]float64) {
	if len(basis) == 0 || len(vectors) == 0 {
		return
	}
	p := make(panel, len(basis[0]))
	for some := range slices.Chunk(vectors, panelWidth) {
		p.setColumns(some)
		var factors, sums [panelWidth]float64
		addProducts(p, basis[0], &factors)
		for i, x := range basis {
			// the products with the next one are computed while this one is subtracted
			reflectPanel(p, x, &factors, basis[min(i+1, len(basis)-1)], &sums)
			factors, sums = sums, [panelWidth]float64{}
		}
		for column, x := range some {
			for i := range p {
				x[i] = p[i][column]
			}
		}
	}
}
