// Package memory is podtrack's own: it tells how much memory this process may still use, so that a size from a
// spec or a store leads to an error instead of the end of the process.
//
// [Check] compares a need with the lowest limit; [Free] and [FreeUnderLimits] return that limit. On Linux the
// limits are those of the machine, of the control groups and of ulimit; on other systems no limit is known.
// These are some 200 lines over the standard library and x/sys, in place of a dependency: all limits count, and
// the lowest decides.
package memory
