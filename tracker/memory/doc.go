// Package memory is podtrack's own: it tells how much memory this process may still use, so that a
// size from a spec or a store leads to an error and not to the end of the process.
//
// [Check] compares a need with the lowest limit, [Free] and [FreeUnderLimits] return
// that limit. memory_linux.go reads the limits of the machine, of the control groups
// and of ulimit; other systems have none that this package knows. That is some 200 lines over
// the standard library and x/sys, without a dependency: all limits count, and the lowest decides.
package memory
