//go:build !linux

package tracker

// memoryLimits returns nil: limits are unknown on this system.
func memoryLimits() []memoryLimit { return nil }

// ReserveHeap does nothing: limits are unknown on this system.
func ReserveHeap() error { return nil }
