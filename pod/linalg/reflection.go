package linalg

// A reflection of both sides takes a symmetric matrix A to HAH, where H is I − s·vvᵀ: it subtracts vwᵀ + wvᵀ,
// where w is s·Av less half of s²·vᵀAv times v. The entries that it changes are read and written once, when the next
// reflection multiplies them. It is nothing if v is nil.
type reflection struct{ v, w []float64 }

// follow does the reflection in all rows of A but the first, from the given column on, and returns the next reflection,
// of these rows and columns by v and s. w is memory of the length of v, which holds A·v in between: since A is
// symmetric, its rows are added up, each times an entry of v, in the order in which a dot product adds its terms.
func (r reflection) follow(rows [][]float64, column int, v []float64, s float64, w []float64) reflection {
	if r.v != nil {
		r = reflection{r.v[1:], r.w[1:]}
	}
	if s == 0 {
		for i, row := range rows {
			if r.v != nil {
				subtractTwo(row[column:], r.w, r.v, r.v[i], r.w[i])
			}
		}
		return reflection{}
	}
	if r.v == nil {
		MultiplyRows(rows, column, v, w)
	} else {
		clear(w)
		updateAndSum(rows, column, rankTwo{r.v, r.w, r.w, r.v}, v, w)
	}
	half := float64(float64(s*s)*Dot(w, v)) / 2
	for i, x := range v {
		w[i] = float64(s*w[i]) - float64(half*x)
	}
	return reflection{v, w}
}

// rankTwo is the matrix abᵀ + cdᵀ, which is subtracted from another one.
type rankTwo struct{ a, b, c, d []float64 }

// updateAndSum subtracts r from the rows, from the given column on, and adds the rows, each times an entry of x, to
// out.
func updateAndSum(rows [][]float64, column int, r rankTwo, x, out []float64) {
	var some [4][]float64 // made once: arguments of the kernels, which are variables, are on the heap
	var by rowFactors
	for i := 0; i < len(rows); i += 4 {
		n := min(4, len(rows)-i)
		for j := range n {
			some[j] = rows[i+j][column:]
			by.v[j], by.w[j], by.x[j] = r.a[i+j], r.c[i+j], x[i+j]
		}
		if n < 4 {
			clear(some[n:])
			updateRows(&some, r.b, r.d, &by, out)
			continue
		}
		updateFour(&some, r.b, r.d, &by, out)
	}
}

// rowFactors are the entries of v, w and x that belong to four rows.
type rowFactors struct{ v, w, x [4]float64 }

// updateRows subtracts vwᵀ + wvᵀ from up to four rows, and adds the rows, times their entries of x, to out.
func updateRows(rows *[4][]float64, w, v []float64, by *rowFactors, out []float64) {
	for i, row := range rows {
		if row == nil {
			return
		}
		subtractTwo(row, w, v, by.v[i], by.w[i])
		subtractMultiple(out, row, -by.x[i])
	}
}

// subtractTwo subtracts a·x + b·y from row.
func subtractTwo(row, x, y []float64, a, b float64) {
	x, y = x[:len(row)], y[:len(row)]
	for i := range row {
		row[i] -= float64(a*x[i]) + float64(b*y[i])
	}
}
