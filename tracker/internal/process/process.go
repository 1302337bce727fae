// Package process identifies processes, such that a process of the same machine can tell
// whether another one still runs.
//
// [Self] identifies this process, [Gone] asks about another. process_linux.go reads
// /proc; on other systems nothing is known about processes.
package process

import (
	"os"
	"sync"
)

// An Identity tells a process from all others.
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
