//go:build !faults

package tracker

// fault does nothing: fault_on.go has what the points are for.
func fault(string) {}

// hurry changes nothing.
func hurry(o Options) Options { return o }
