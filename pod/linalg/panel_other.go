//go:build !amd64

package linalg

// These are the plain kernels.
var (
	reflectPanel = reflectRows
	turnChain    = turnRows
	updateFour   = updateRows
	addProducts  = addRows
	turn         = turnSlices
)
