// Package layout places the states that a run visited on a plane, where the environment does not say where its
// states lie: the spectral layout of the graph of their transitions.
//
// [Read] reads the transitions of a run and places its states. Each component of the undirected graph is placed by
// itself, and the components are packed side by side.
//
//   - A state's coordinates in its component are its entries in the second and third generalised eigenvectors of
//     the graph Laplacian, L u = λ D u, those of the smallest λ above 0. Neighbours come to lie near each other
//     (Koren: Drawing graphs by eigenvectors, Computers and Mathematics with Applications 49, 2005).
//   - A layout follows from the records alone, and its numbers are the same on every machine, as those of linalg are.
//   - Nothing of it is recorded. The work is bounded by maxStates.
//   - The eigenvectors are the first directions of a sparse matrix, as package linalg computes them for a run.
package layout
