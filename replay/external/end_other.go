//go:build !linux

package external

// noticesEnd says that awaitEnd knows.
const noticesEnd = false

// awaitEnd: that a program has ended shows only in its stdout.
func awaitEnd(int) bool { return false }
