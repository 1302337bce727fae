// Package linalg is podtrack's own: it computes the singular value decomposition from which options are discovered, and
// solves linear systems. [Factor] decomposes a [Dataset], the distinct rows of D with their counts.
//
// The same input gives the same bits everywhere: sums have a fixed order, and every product is rounded before it is
// added.
//
// # How D is decomposed
//
// SVD of the distinct rows of D in lexicographic order, each weighted by the root of its count: the same Σ and V as
// D's, at a cost that does not grow with n_R. If features are whole numbers: DᵀD, which is exact; its eigenvectors by
// Householder reflections and implicit QL steps; its rank, beyond which σ is 0: full if no eigenvalue is near its
// error, else found modulo 2⁶¹ − 1; the error of σ² is at most 8dε·σ₁². Otherwise: D's rows reduced to R by
// reflections, 256 at a time, if there are more of them than features, and one-sided Jacobi in cyclic order, which
// before each sweep sets columns of norm ≤ 4dε × the largest to exactly 0. σ in stable descending order; V is a
// complete basis (rows-of-v reads only its columns with σ > 0); the first entry within 2⁻²⁰ of the largest magnitude
// is positive. Tests hold σ² against 200 bits, the rank against elimination with fractions, all against gonum's SVD,
// the change-driven sweeps and their AVX2 against naive ones bit for bit, and the means of 300 runs against an
// independent program.
//
// The matrices of methods take two other ways. Those of laplacian and covering are symmetric and positive semidefinite,
// so that σ are their eigenvalues: reflections and QL steps as for DᵀD, on the matrix itself. Those of successor and
// successor-features are reduced to R where they have more rows than columns, made bidiagonal by reflections from both
// sides, and diagonal by implicit QR steps. The error of σ is at most 8nε·σ₁, where n is the number of columns that are
// not 0, and σ no larger are exactly 0. Tests hold σ against closed forms and against spectra that matrices were made
// of.
//
// Of a sparse symmetric matrix with many columns the first directions alone are computed ([Dataset].Top): by
// Chebyshev-filtered subspace iteration, until every residual is at most 2⁻⁴² of the largest eigenvalue. That bounds
// the error of each. The vectors beside those wanted find repeated eigenvalues as often as they are repeated. Its
// memory is three blocks of vectors. It has no state to be resumed from: a decomposition that was stopped begins again.
// Tests hold it against eigenvalues of paths, tori, stars and complete graphs, and against one-sided Jacobi.
//
// The weights of lspi come from Gaussian elimination of up to 2048 unknowns, and from conjugate gradients beyond,
// whose sums have a fixed order and whose number of steps follows from their own bits.
package linalg
