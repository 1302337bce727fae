//go:build !linux

package tracker

// Here only a heartbeat's age tells that an owner is gone.

// bootID returns the machine's boot, its PID namespace and, unless it is the initial one, its time
// namespace. Together they determine what a process ID and a start time mean. It returns "" if they
// are unknown.
func bootID() string { return "" }

// processGone reports whether the process with that ID and start time has certainly ended. A
// missing folder in /proc proves nothing, since hidepid hides the processes of other users, nor
// does a /proc that was mounted for another PID namespace.
func processGone(int, uint64) bool { return false }

// ownStartTime returns the start of this process in ticks since boot, or 0 if it is unknown. It
// reads /proc/self, since a PID may mean another process in a /proc of another namespace.
func ownStartTime() uint64 { return 0 }
