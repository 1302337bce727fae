// Package export writes the records of runs, and arrays derived from them, to files that other programs read.
//
// [NPZ] writes the arrays that numpy.load reads. The derived ones (states, D, q) are computed exactly from the records,
// array by array, so that memory does not grow with the number of options. [CSV] writes tidy tables of measures or
// options.
package export
