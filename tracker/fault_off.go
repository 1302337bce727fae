//go:build !faults

package tracker

// fault does nothing in this build: see fault_on.go.
func fault(string) {}

// applyFaultTimings returns o unchanged.
func applyFaultTimings(o Options) Options { return o }
