//go:build cgo

package tracker

// threadAddresses is what threads that are still to come may reserve, in bytes: with
// the C library each has a stack of 8 MiB, and some an arena of 64 MiB.
const threadAddresses = 256 << 20
