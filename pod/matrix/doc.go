// Package matrix is podtrack's own: it learns from transitions the matrices that methods factor instead of D: the
// Laplacian of the observed graph, the successor representation, successor features, the graph of covering options, and
// visit counts.
package matrix
