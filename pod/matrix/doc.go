// Package matrix is podtrack's own: it has the matrices that methods learn from transitions, to be factored in place of
// the rows of D: the Laplacian of the observed graph, the successor representation, that of features, the graph that
// covering connects, and the counts of visits.
package matrix
