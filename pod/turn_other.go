//go:build !amd64

package pod

// turn is [turnSlices].
var turn = turnSlices
