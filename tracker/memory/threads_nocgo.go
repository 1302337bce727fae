//go:build !cgo

package memory

// threadAddresses is the address space in bytes that future threads may reserve: next to none without the C library.
const threadAddresses = 0
