//go:build !linux

package external

// detectsExit says that awaitExit knows.
const detectsExit = false

// awaitExit: that a program has ended shows only in its stdout.
func awaitExit(int) bool { return false }
