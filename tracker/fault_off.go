//go:build !faults

package tracker

// fault does nothing: fault_on.go has what the points are for.
func fault(string) {}

// applyFaultTimings changes nothing.
func applyFaultTimings(o Options) Options { return o }
