//go:build !linux

package memory

// readLimits returns nil: limits are unknown on this system.
func readLimits() []bound { return nil }

// ReserveHeap does nothing: limits are unknown on this system.
func ReserveHeap() error { return nil }
