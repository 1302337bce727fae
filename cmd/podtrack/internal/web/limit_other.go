//go:build !unix

package web

// fileLimit returns how many files the process may have open at once.
func fileLimit() uint64 { return 1 << 20 }
