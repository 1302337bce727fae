//go:build !linux

package tracker

// memoryLimits returns nothing: limits are not known here.
func memoryLimits() []memoryLimit { return nil }
