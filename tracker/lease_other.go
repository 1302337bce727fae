//go:build !linux

package tracker

// On this system only the age of its heartbeat tells that an owner is gone.

// bootID returns "": the boot is unknown.
func bootID() string { return "" }

// processGone returns false: no process is known to have ended.
func processGone(int, uint64) bool { return false }

// ownStartTime returns 0: start times are unknown.
func ownStartTime() uint64 { return 0 }
