//go:build !cgo

package tracker

// threadAddresses is what threads that are still to come may reserve, in bytes: next
// to nothing without the C library.
const threadAddresses = 0
