//go:build !linux

package process

// On this system only the age of a lease's heartbeat shows that its owner has ended.

// bootID returns "": the boot is unknown.
func bootID() string { return "" }

// Gone returns false: no process is known to have ended.
func Gone(int, uint64) bool { return false }

// ownStartTime returns 0: start times are unknown.
func ownStartTime() uint64 { return 0 }

// IsSuspended returns false: the state of processes is unknown.
func IsSuspended(int) bool { return false }
