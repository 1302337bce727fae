// Package diff is the command podtrack diff: runs, iterations, options or groups of runs
// compared by meaning.
package diff
