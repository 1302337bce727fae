// Package process identifies processes, so that a process of the same machine can tell whether another one is
// still running.
//
// [Self] identifies this process; [Gone] reports whether another has ended. On Linux this is read from /proc;
// on other systems nothing is known about processes.
package process

import (
	"os"
	"sync"
)

// An Identity distinguishes a process from all others.
type Identity struct {
	Boot  string // boot and namespaces in which PID and Start identify a process; "" if unknown
	Host  string // for messages
	PID   int
	Start uint64 // in the kernel's ticks since boot; 0 if unknown
}

// Self returns the identity of this process.
var Self = sync.OnceValue(func() Identity {
	host, _ := os.Hostname()
	return Identity{Boot: bootID(), Host: host, PID: os.Getpid(), Start: ownStartTime()}
})
