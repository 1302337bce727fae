package linalg

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 {
		reflectPanel, turnChain, updateFour = reflectPanelVectors, turnChainVectors, updateFourVectors
		addProducts, turn = addProductsVectors, turnVectors
	}
}

// reflectPanelVectors does what [reflectRows] does, four numbers at a time.
func reflectPanelVectors(p panel, x []float64, factors *[panelWidth]float64, y []float64, sums *[panelWidth]float64) {
	if n := len(p); n > 0 {
		x, y = x[:n], y[:n]
		reflectPanelAVX2(&p[0], n, &x[0], factors, &y[0], sums)
	}
}

// addProductsVectors does what [addRows] does, four numbers at a time.
func addProductsVectors(p panel, y []float64, sums *[panelWidth]float64) {
	if n := len(p); n > 0 {
		addProductsAVX2(&p[0], n, &y[:n][0], sums)
	}
}

// turnChainVectors does what [turnRows] does, four numbers at a time.
func turnChainVectors(p panel, chain rotations) {
	lowest, highest := chain[len(chain)-1].row, chain[0].row+1
	p = p[lowest : highest+1]
	turnChainAVX2(&p[len(p)-1], &chain[0], len(chain))
}

// updateFourVectors does what [updateRows] does, four numbers at a time.
func updateFourVectors(rows *[4][]float64, w, v []float64, by *rowFactors, out []float64) {
	n := len(out) &^ 3
	if n > 0 {
		w, v := w[:len(out)], v[:len(out)]
		updateAVX2(&rows[0][:n][0], &rows[1][:n][0], &rows[2][:n][0], &rows[3][:n][0], &w[0], &v[0], &out[0], n/4, by)
	}
	rest := [4][]float64{rows[0][n:], rows[1][n:], rows[2][n:], rows[3][n:]}
	updateRows(&rest, w[n:], v[n:], by, out[n:])
}

// turnVectors does what [turnSlices] does, four numbers at a time.
func turnVectors(x, y []float64, c, s float64) {
	whole := len(x) &^ 3
	if y = y[:len(x)]; whole > 0 {
		turnAVX2(&x[0], &y[0], whole/4, c, s)
	}
	turnSlices(x[whole:], y[whole:], c, s)
}

//go:noescape
func turnAVX2(x, y *float64, quads int, c, s float64)

//go:noescape
func reflectPanelAVX2(p *[panelWidth]float64, rows int, x *float64, factors *[panelWidth]float64, y *float64,
	sums *[panelWidth]float64)

//go:noescape
func addProductsAVX2(p *[panelWidth]float64, rows int, y *float64, sums *[panelWidth]float64)

//go:noescape
func turnChainAVX2(last *[panelWidth]float64, chain *neighbourRotation, count int)

//go:noescape
func updateAVX2(r0, r1, r2, r3, w, v, out *float64, quads int, by *rowFactors)
