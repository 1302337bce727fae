// Package diff implements the command podtrack diff, which compares runs, iterations, options or
// groups of runs by what they learned.
package diff
