package linalg

import (
	"golang.org/x/sys/cpu"
)

// turn is [turnSlices], vectorised if the processor has AVX2.
var turn = func() func(x, y []float64, c, s float64) {
	if cpu.X86.HasAVX2 {
		return turnVectors
	}
	return turnSlices
}()

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
