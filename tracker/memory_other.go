//go:build !linux

package tracker

// memoryLimits returns nothing: limits are not known here.
func memoryLimits() []memoryLimit { return nil }

// ReserveHeap does nothing: limits are not known here.
func ReserveHeap() error { return nil }
