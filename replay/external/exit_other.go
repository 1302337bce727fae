//go:build !linux

package external

// detectsExit reports that awaitExit does not work on this system.
const detectsExit = false

// awaitExit returns false: here an exit shows only at the end of stdout.
func awaitExit(int) bool { return false }
