//go:build !amd64

package linalg

// turn is [turnSlices].
var turn = turnSlices
