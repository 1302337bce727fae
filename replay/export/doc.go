// Package export writes what a store records, and what follows from it, in files
// that other programs read.
//
// [NPZ] writes the arrays that numpy.load reads. Those that are derived, the
// states, D, q, are computed exactly from the records, array by array, so that
// memory does not grow with the number of options. [CSV] writes tidy tables of
// measures or options.
package export
