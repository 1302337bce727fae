// Package diff compares what runs discovered by meaning: not the bytes of records, but
// what the eigenpurposes reward and where the options lead.
//
// [Between] compares two runs. In each iteration it matches the two sets of purposes so that Σ|cos_M| is maximal.
// cos_M(e,f) = eᵀMf / √(eᵀMe · fᵀMf), with M = Σδδᵀ over the transitions of the model, is the cosine similarity of
// the intrinsic rewards of two purposes: purposes that reward every transition the same are the same. A [Pair] compares
// two matched options by their policies, initiation sets, end states and values. A [ChanceLevel] is the similarity of
// random sets after matching; it is reported with every comparison, since similarity means nothing without it.
//
// [ClusterRuns] finds what many runs discover in common: the similarity in each iteration compared with random sets of
// the same sizes, the distinct purposes and options, and the runs that found each.
//
// # Rules
//
//   - Comparing B with A gives the report of A with B with the sides exchanged: everything is computed in one order of
//     the two, whichever is given first.
//   - No result enters a digest. Random numbers are seeded.
//   - Two purposes or options whose similarity reaches [Threshold] are the same, in every function.
//   - Options are loaded one by one. Of two runs, memory is bounded by the model; of a group, by the states visited.
package diff
