//go:build cgo

package memory

// threadAddresses is the address space in bytes that future threads may reserve: with the C library
// each has a stack of 8 MiB, and some an arena of 64 MiB.
const threadAddresses = 256 << 20
