// Package linalg is podtrack's own: it decomposes the matrices that options are found in. [Factor] returns the singular
// value decomposition of a [Dataset], the distinct rows of D with their counts; beside it stand the solvers that other
// stages need.
//
// The same input has the same bits everywhere: sums are added up in a fixed order, and every product is rounded before
// it is added.
package linalg
