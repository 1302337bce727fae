// Package diff compares what runs discovered, by meaning: not by the bytes of
// records, but by what the eigenpurposes reward and where the options lead.
//
// # The path to read
//
//  1. [Metric] says how alike two purposes are. cos_M(e,f) = eᵀMf / √(eᵀMe · fᵀMf)
//     with M = Σδδᵀ over the transitions of the model: two directions that no
//     transition tells apart reward the same.
//  2. [Compare] takes two sets of purposes. assign.go finds the matching with the
//     largest Σ|cos_M|; the sign of the cosine says which sign goes with which.
//  3. [Pair] is what two matched options have in common: policies, initiation
//     sets, where they end, values. behaviour.go keeps them as sets of states.
//  4. subspace.go compares the spans of whole sets, cluster.go those of clusters of
//     nearly equal σ, in which single directions are arbitrary.
//  5. [ChanceLevel] is what matching alone makes of random sets. Similarity means
//     nothing without it, so it stands beside every comparison.
//  6. [CompareRuns] goes over the iterations of two runs, [ClusterRuns] over many runs: how many
//     distinct purposes are there, and which run found which?
//
// # Rules
//
//   - Comparing B with A gives the report of A with B, sides exchanged: everything
//     is computed in one order of the two, whichever came first.
//   - Nothing here feeds a digest. What is random is seeded.
//   - Options are loaded pair by pair: memory is bounded by the model.
package diff
