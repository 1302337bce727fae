//go:build !faults

package fault

import "time"

// At does nothing in this build.
func At(string) {}

// CommitEvery returns 0: this build reads no environment.
func CommitEvery() time.Duration { return 0 }

// LeaseAfter returns 0: this build reads no environment.
func LeaseAfter() time.Duration { return 0 }

// Heartbeat returns 0: this build reads no environment.
func Heartbeat() time.Duration { return 0 }
